"""The local web page: `covey serve`. Needs the extra ``web``; nothing here is loaded before that."""
