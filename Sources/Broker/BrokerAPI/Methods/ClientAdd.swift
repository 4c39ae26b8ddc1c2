public import FlowModel
public import OAuth

/// `client.add`: registers a client; operators only.
extension NewClient: BrokerMethod {
    /// The answer: `{client, secret?}`.
    public typealias Answer = AddedClient

    /// The name on the wire.
    public static let name = "client.add"
    /// The sentence of `rpc.discover`.
    public static let summary = "Registers a client and answers its id, and its secret once."
    /// The parameters.
    public static let fields: [Field] = [
        .required("name", .string(1...256)),
        Field("type", .choice(ClientType.allCases.map(\.rawValue))),
        Field("redirectURIs", .list(.string(1...2048), 0...32)),
        .scopes("scopes"),
        .id("audience"),
        Field("postLogoutRedirectURIs", .list(.string(1...2048), 0...32)),
        Field("backchannelLogoutURI", .string(1...512)),
        Field("idTokenAlg", .choice(TokenSigning.Algorithm.allCases.map(\.rawValue))),
        Field("accessTokenAlg", .choice(TokenSigning.Algorithm.allCases.map(\.rawValue))),
    ]
    /// True: it adds a client.
    public static var changesState: Bool { true }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(
            displayName: try members.required("name"),
            type: members.choice("type", ClientType.self) ?? .public,
            redirectURIs: members.strings("redirectURIs"),
            scopes: members.strings("scopes"),
            audience: members.string("audience"),
            signOut: SignOutAddresses(
                postLogoutRedirectURIs: members.strings("postLogoutRedirectURIs"),
                backchannelLogoutURI: members.string("backchannelLogoutURI")
            ),
            signing: TokenSigning(
                idToken: members.choice("idTokenAlg", TokenSigning.Algorithm.self) ?? .es256,
                accessToken: members.choice("accessTokenAlg", TokenSigning.Algorithm.self) ?? .es256
            )
        )
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("name", displayName)
        object.set("type", type.rawValue)
        object.set("redirectURIs", unlessEmpty: redirectURIs)
        object.set("scopes", unlessEmpty: scopes)
        object.set("audience", audience)
        object.set("postLogoutRedirectURIs", unlessEmpty: signOut.postLogoutRedirectURIs)
        object.set("backchannelLogoutURI", signOut.backchannelLogoutURI)
        object.set("idTokenAlg", signing.idToken.rawValue)
        object.set("accessTokenAlg", signing.accessToken.rawValue)
        return object.members
    }
}

extension AddedClient: WireValue {
    /// Reads an answer.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(client: try reader.one("client"), secret: reader.value["secret"]?.string.map { Secret($0) })
    }

    /// The answer as it is written: the one place where the secret is revealed to the peer.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("client", client.json)
        object.set("secret", secret?.reveal())
        return object.json
    }
}
