"""Where shared results lie: a folder, an HTTP cache, a server of the Remote Execution API."""
