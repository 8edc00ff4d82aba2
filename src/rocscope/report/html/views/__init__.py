"""The views of the HTML report, named as in `page/src/views`."""
