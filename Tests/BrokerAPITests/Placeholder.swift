// broker api
