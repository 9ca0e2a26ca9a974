"""The HTTP side of a service: requests, answers, routes, workflows."""
