-- Posts the form in FORM repeatedly.
wrk.method = "POST"
wrk.body = os.getenv("FORM")
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
