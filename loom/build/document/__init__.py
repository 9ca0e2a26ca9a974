"""`loom doc`: a model as one page of HTML, with its pictures as Mermaid too."""
