"""Pages: everything that Ludus writes as HTML, its charts and its boards."""
