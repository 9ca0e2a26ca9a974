"""What goes over the wire: routes, requests, answers and the document that describes them."""
