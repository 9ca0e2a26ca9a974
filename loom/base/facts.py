"""What a backend is and can do, as a value that the pure stages read."""

from __future__ import annotations

from enum import StrEnum

from loom.base.value import Value


class Feature(StrEnum):
    """A construct that a backend either emits or does not; a missing one is `loom.unsupported-feature`."""

    STATE_AGGREGATES = "state aggregates"
    REPOSITORY_FINDS = "repository finds"
    WORKFLOW_COMMANDS = "workflow commands"
    UNIT_TESTS = "unit tests"
    FILTERS = "filters"
    FILTER_BYPASS = "`ignoring`"
    SHARED_TABLE = "hierarchies in one table"
    EMBEDDED_SHAPE = "`shape: embedded`"
    DOCUMENT_SHAPE = "`shape: document`"
    UNIONS = "`or` types"
    OPTIONS = "`option`"
    ENVELOPES = "`envelope`"
    PAGES_IN_RECORDS = "`paged` in a record"
    RECORDS_IN_RECORDS = "records in records"
    VARIANT_MATCH = "`match` over variants"
    FILES = "`File` fields"
    ROOT_RECORDS = "records at the root of the model"
    CRITERION_READS = "reads by criterion"
    RETRIEVALS = "retrievals"
    COUNTS = "`count` of a repository"
    WHOLE_READS = "`all` of a repository"
    FOLDED_PROJECTIONS = "projections that fold events"
    QUERY_PROJECTIONS = "projections that query"
    DOMAIN_SERVICES = "domain services"
    HANDLERS = "command and query handlers"
    ROUTES = "routes of handlers"
    HTTP_STATUSES = "`httpStatus`"
    AUDIT = "`audited`"
    EXTERN_OPERATIONS = "`extern` operations"
    SENSITIVITY = "`sensitive`"
    PROVENANCE = "`provenanced`"
    CHANNELS = "channels"
    CHANNEL_SOURCES = "channels over a broker"
    TIMERS = "timers"
    STAMPS = "stamps that read what they change"
    USER = "`user`"
    CURRENT_USER = "`currentUser`"
    CURRENT_USER_IN_STAMPS = "stamps that read `currentUser`"
    CURRENT_USER_IN_READS = "conditions of reads about `currentUser`"
    AUTHENTICATED = "`auth: required`"
    AUTH = "`auth`"
    PERMISSIONS = "`permissions`"
    TENANCY = "tenants"
    ROW_POLICIES = "policies over rows"
    MASKS = "`mask unless`"
    CONTEXT_TESTS = "tests of a context"
    DESTROY_PARAMETERS = "parameters of a `destroy`"
    SEEDS = "seeds"
    MIGRATIONS = "`migration`"
    WORKFLOW_STATE = "state of workflows"
    WORKFLOW_REACTIONS = "workflows that react to events"
    INSTANCE_GATES = "`requires` of a workflow"
    EVENT_SOURCED_WORKFLOWS = "`eventSourced` workflows"
    EVENT_SOURCED_AGGREGATES = "`persistedAs: eventLog`"
    AFTER_COMMIT = "`afterCommit`"
    ENQUEUE = "`enqueue`"
    CHANNEL_BINDINGS = "`channels:` of a deployable"
    RESOURCE_VERBS = "calls of resources"
    STORAGE_REDIS = "storage type `redis`"
    STORAGE_RABBITMQ = "storage type `rabbitmq`"
    STORAGE_KAFKA = "storage type `kafka`"
    STORAGE_S3 = "storage type `s3`"
    STORAGE_LOCAL_DISK = "storage type `localDisk`"
    STORAGE_SMTP = "storage type `smtp`"
    STORAGE_SES = "storage type `ses`"
    STORAGE_SENDGRID = "storage type `sendgrid`"
    STORAGE_REST_API = "storage type `restApi`"
    EVENT_LOG_RESOURCES = "resource kind `eventLog`"
    SNAPSHOT_RESOURCES = "resource kind `snapshot`"
    OBJECT_STORE_RESOURCES = "resource kind `objectStore`"
    QUEUE_RESOURCES = "resource kind `queue`"
    API_RESOURCES = "resource kind `api`"
    MAILER_RESOURCES = "resource kind `mailer`"


LAYOUTS = ("byLayer", "byFeature")
"""How the folders of a service are laid out, in the language's words."""


class Style(Value):
    """What services of a platform keep their rows with, and how their folders may then be laid out."""

    persistence: str
    layouts: tuple[str, ...]


class Facts(Value):
    """One backend as the stages see it. `internal_port` is what a container of it listens on.

    A deployable may name one of the `styles`. The backend emits the first, in the first of its layouts.

    `ready_probe` is a command of its image that succeeds when `/ready` answers 200; when it is empty, the
    image's own health check is asked.
    """

    name: str
    default_port: int
    internal_port: int
    supports: frozenset[Feature]
    capabilities: frozenset[str] = frozenset()
    ready_probe: tuple[str, ...] = ()
    styles: tuple[Style, ...] = ()
