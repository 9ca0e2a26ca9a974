"""Actions that run on the workers of a server of the Remote Execution API."""
