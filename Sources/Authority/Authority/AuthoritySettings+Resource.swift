import OAuth

extension AuthoritySettings {
    /// Returns the `resource` of an HTTP request, which must be an API's URI (RFC 8707 §2), or `nil` if it is absent.
    ///
    /// - Throws: `invalid_target` if there is more than one resource, or if the resource belongs to no API.
    func resource(_ form: Form) throws(OAuthError) -> String? {
        let all = Set(form.all("resource"))
        guard all.count <= 1 else {
            throw .b2c(.invalidTarget, 90146, "a token can be for only one resource")
        }
        guard let resource = all.first else { return nil }
        guard apis.values.contains(where: { $0.resources.contains(resource) }) else {
            throw .b2c(.invalidTarget, 90146, "no API has this resource")
        }
        return resource
    }
}
