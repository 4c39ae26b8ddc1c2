public import FlowModel
public import OAuth

extension ClientSummary: WireValue {
    /// Reads a client.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            client: try reader.string("client"),
            name: reader.value["name"]?.string ?? "",
            type: try ClientType(reader),
            redirectURIs: reader.value["redirectURIs"]?.strings ?? [],
            scopes: reader.value["scopes"]?.strings ?? [],
            audience: reader.value["audience"]?.string,
            signOut: SignOutAddresses(
                postLogoutRedirectURIs: reader.value["postLogoutRedirectURIs"]?.strings ?? [],
                backchannelLogoutURI: reader.value["backchannelLogoutURI"]?.string
            ),
            signing: TokenSigning(
                idToken: try .init(reader, "idTokenAlg"),
                accessToken: try .init(reader, "accessTokenAlg")
            ),
            configured: reader.value["configured"]?.bool ?? false
        )
    }

    /// The client as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("client", client)
        object.set("name", name)
        object.set("type", type.rawValue)
        object.set("redirectURIs", strings: redirectURIs)
        object.set("scopes", strings: scopes)
        object.set("audience", audience)
        object.set("postLogoutRedirectURIs", strings: signOut.postLogoutRedirectURIs)
        object.set("backchannelLogoutURI", signOut.backchannelLogoutURI)
        object.set("idTokenAlg", signing.idToken.rawValue)
        object.set("accessTokenAlg", signing.accessToken.rawValue)
        object.set("configured", configured)
        return object.json
    }
}

extension ClientType {
    /// Reads the member `type`.
    fileprivate init(_ reader: WireReader) throws(UnreadableAnswer) {
        guard let type = ClientType(rawValue: try reader.string("type")) else { throw UnreadableAnswer("type") }
        self = type
    }
}

extension TokenSigning.Algorithm {
    /// Reads a member; ES256 if it is absent.
    fileprivate init(_ reader: WireReader, _ name: String) throws(UnreadableAnswer) {
        guard let text = reader.value[name]?.string else {
            self = .es256
            return
        }
        guard let algorithm = Self(rawValue: text) else { throw UnreadableAnswer(name) }
        self = algorithm
    }
}
