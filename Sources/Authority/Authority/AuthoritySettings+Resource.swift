import OAuth

extension AuthoritySettings {
    /// The resource that a request over HTTP names: one of the URIs of an API (RFC 8707 §2).
    ///
    /// At the socket an API's name or audience will do as well; a client of the network knows neither.
    ///
    /// - Parameter form: The parameters of the request.
    /// - Returns: The URI; nil if the request names none.
    /// - Throws: `invalid_target` for two resources, and for one that no API has.
    func resource(_ form: Form) throws(OAuthError) -> String? {
        let all = Set(form.all("resource"))
        guard all.count <= 1 else {
            throw .b2c(.invalidTarget, 90146, "a token is for one resource")
        }
        guard let resource = all.first else { return nil }
        guard apis.values.contains(where: { $0.resources.contains(resource) }) else {
            throw .b2c(.invalidTarget, 90146, "no API has this resource")
        }
        return resource
    }
}
