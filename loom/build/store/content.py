"""The content store: bytes by digest, written once, checked whenever they are read.

In: bytes, files, streams, folders. Out: digests, and the same bytes again.
Never: a name for what it holds, a blob that is half written, or bytes that do not match their digest.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from pathlib import Path
from typing import BinaryIO

from loom.base import Digest
from loom.build.store.atomic import CHUNK, COUNTER, LOST, RUN, AtomicWriter, write_all
from loom.build.store.tree import Tree, TreeEntry, TreeError, TreeFile, TreeLink, check_path


class BlobLost(LookupError):
    """The store does not have these bytes (any more): whoever made them must make them again."""

    def __init__(self, sha256: str, reason: str) -> None:
        super().__init__(f"{sha256} {reason}")
        self.sha256 = sha256


class ContentStore:
    """`root/cas/<first digit>/<sha256>`, read-only files; `root/tmp` for what is being written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.blobs = root / "cas"
        self._blobs = str(self.blobs)
        self._writer = AtomicWriter(root)

    def path(self, sha256: str) -> str:
        return f"{self._blobs}/{sha256[0]}/{sha256}"

    def has(self, digest: Digest) -> bool:
        """Whether a blob of that name and size is there; only reading it proves its bytes."""
        try:
            return os.stat(self.path(digest.sha256)).st_size == digest.size
        except OSError:
            return False

    def put(self, data: bytes) -> Digest:
        digest = Digest.of(data)
        if not self.has(digest):
            self._writer.write(self.path(digest.sha256), data)
        return digest

    def put_file(self, source: Path) -> Digest:
        """A regular file; a link is refused, so that nothing outside the folder gets in."""
        handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as stream:
            return self.put_stream(stream)

    def put_stream(self, stream: BinaryIO) -> Digest:
        """Never holds more than one chunk; what is hashed is the copy, not the original."""
        temporary, sha256, size = self._writer.copy(stream)
        self._writer.keep(temporary, self.path(sha256))
        return Digest(sha256, size)

    def put_tree(self, tree: Tree) -> Digest:
        return self.put(tree.canonical())

    def get(self, digest: Digest | tuple[str, int]) -> bytes:
        """The bytes, checked; BlobLost when they are missing or wrong, and wrong ones are put aside."""
        sha256, size = digest
        path = self.path(sha256)
        try:
            with open(path, "rb") as stream:
                data = stream.read()
        except OSError as error:
            raise _lost(sha256, error) from error
        if len(data) != size or hashlib.sha256(data).hexdigest() != sha256:
            self._quarantine(path)
            raise BlobLost(sha256, "was damaged in the store")
        return data

    def sound(self, digest: Digest) -> str:
        """The path of a blob whose bytes have just been checked; BlobLost like `get`, of which it holds a chunk."""
        path, sha = self.path(digest.sha256), hashlib.sha256()
        try:
            with open(path, "rb") as stream:
                while chunk := stream.read(CHUNK):
                    sha.update(chunk)
        except OSError as error:
            raise _lost(digest.sha256, error) from error
        if sha.hexdigest() != digest.sha256:
            self._quarantine(path)
            raise BlobLost(digest.sha256, "was damaged in the store")
        return path

    def part(self, bundle: str, offset: int, digest: Digest) -> bytes:
        """A stretch of a blob that has a digest of its own; only that stretch is read and checked."""
        path = self.path(bundle)
        try:
            with open(path, "rb") as stream:
                stream.seek(offset)
                data = stream.read(digest.size)
        except OSError as error:
            raise _lost(digest.sha256, error) from error
        if len(data) != digest.size or hashlib.sha256(data).hexdigest() != digest.sha256:
            self._quarantine(path)
            raise BlobLost(digest.sha256, "was damaged in the store")
        return data

    def get_tree(self, digest: Digest | tuple[str, int]) -> Tree:
        return Tree.from_canonical(self.get(digest))

    def copy_to(self, digest: Digest, target: str, mode: int) -> None:
        """A new file with the blob's bytes, checked while copying; BlobLost leaves no file behind."""
        sha = hashlib.sha256()
        try:
            source = open(self.path(digest.sha256), "rb")  # noqa: SIM115 - failing to write means nothing for it
        except OSError as error:
            raise _lost(digest.sha256, error) from error
        with source:
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                while chunk := _chunk(source, digest.sha256):
                    sha.update(chunk)
                    write_all(handle, chunk)
                os.fchmod(handle, mode)
            except BaseException:
                os.unlink(target)
                raise
            finally:
                os.close(handle)
        if sha.hexdigest() != digest.sha256:
            os.unlink(target)
            self._quarantine(self.path(digest.sha256))
            raise BlobLost(digest.sha256, "was damaged in the store")

    def materialise(self, tree: Tree, target: Path, writable: bool = False) -> None:
        """Lay `tree` out in `target`, which must not exist or be empty; all of it or nothing.

        Modes are 0444/0555 (0644/0755 when writable), folders 0755, whatever the umask.
        """
        staging = target.with_name(f"{target.name}.{RUN}-{next(COUNTER)}.partial")
        try:
            _make_folder(staging)
            self._fill(tree, str(staging), 0o200 if writable else 0)
            staging.replace(target)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise

    def _fill(self, tree: Tree, target: str, write_bit: int) -> None:
        made = {""}
        for entry in tree.entries:
            folder = entry.path.rpartition("/")[0]
            if folder not in made:
                _make_folders(target, folder, made)
            place = f"{target}/{entry.path}"
            if isinstance(entry, TreeLink):
                os.symlink(entry.target, place)
            else:
                self.copy_to(entry.content, place, (0o555 if entry.executable else 0o444) | write_bit)

    def capture(self, folder: Path) -> Tree:
        """Store every file of `folder`; TreeError for a path, link or kind that a tree may not hold."""
        entries: list[TreeEntry] = []
        self._capture(str(folder), "", entries)
        return Tree.of(entries)

    def _capture(self, folder: str, prefix: str, entries: list[TreeEntry]) -> None:
        with os.scandir(folder) as found:
            children = sorted(found, key=lambda child: child.name)
        for child in children:
            path = prefix + child.name
            mode = child.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                check_path(path)  # before it is followed down without an end
                self._capture(child.path, path + "/", entries)
            else:
                entries.append(self.capture_file(child.path, path, mode))

    def capture_file(self, place: str, path: str, mode: int) -> TreeEntry:
        """One file or link of a folder, as an entry at `path`."""
        if stat.S_ISLNK(mode):
            return TreeLink(path=path, target=os.readlink(place))
        if not stat.S_ISREG(mode):
            raise TreeError(f"`{path}` is neither a file, a folder nor a link")
        sha256, size = self.put_file(Path(place))
        return TreeFile(path=path, sha256=sha256, size=size, executable=bool(mode & 0o100))

    def _quarantine(self, path: str) -> None:
        """Put a damaged blob aside under a name that no digest has; a read-only store keeps it."""
        try:
            os.replace(path, f"{path}.bad")
        except OSError:
            return


class ObservedStore(ContentStore):
    """One that is only looked at: what is damaged stays where it is."""

    def _quarantine(self, path: str) -> None:
        return


def _chunk(source: BinaryIO, sha256: str) -> bytes:
    try:
        return source.read(CHUNK)
    except OSError as error:
        raise _lost(sha256, error) from error


def _lost(sha256: str, error: OSError) -> Exception:
    return BlobLost(sha256, f"is not in the store: {error.strerror}") if error.errno in LOST else error


def _make_folder(path: Path) -> None:
    path.mkdir(parents=True)
    path.chmod(0o755)


def _make_folders(target: str, folder: str, made: set[str]) -> None:
    above = folder.rpartition("/")[0]
    if above not in made:
        _make_folders(target, above, made)
    place = f"{target}/{folder}"
    os.mkdir(place)
    os.chmod(place, 0o755)
    made.add(folder)
