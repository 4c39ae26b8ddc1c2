public import FlowModel
public import OAuth

/// `client.add`: registers a client; operators only.
extension NewClient: BrokerMethod {
    /// The answer: `{client, secret?}`.
    public typealias Answer = AddedClient

    /// Describes the method.
    public static let description = MethodDescription(
        "client.add",
        "Registers a client and answers its id, and its secret once.",
        [
            .required("name", .string(1...256)),
            Field("type", .choice(ClientType.allCases.map(\.rawValue))),
            Field("redirectURIs", .list(.string(1...2048), 0...32)),
            .scopes("scopes"),
            .id("audience"),
            Field("postLogoutRedirectURIs", .list(.string(1...2048), 0...32)),
            Field("backchannelLogoutURI", .string(1...512)),
            Field("idTokenAlg", .choice(TokenSigning.Algorithm.allCases.map(\.rawValue))),
            Field("accessTokenAlg", .choice(TokenSigning.Algorithm.allCases.map(\.rawValue))),
        ],
        for: .operators,
        changesState: true
    )

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

/// `client.list`: the registered clients; operators only.
public struct ClientList: BareMethod {
    /// The answer.
    public typealias Answer = [ClientSummary]

    /// Describes the method.
    public static let description = MethodDescription(
        "client.list",
        "Lists the registered clients.",
        answer: "clients",
        for: .operators
    )

    /// A call without parameters.
    public init() {}
}

/// `client.remove`: removes a client; operators only.
public struct ClientRemove: BrokerMethod {
    /// The answer.
    public typealias Answer = Removal

    /// Describes the method.
    public static let description = MethodDescription(
        "client.remove",
        "Removes a client and ends what it was given.",
        [.requiredID("client")],
        for: .operators,
        changesState: true
    )

    /// The client's id.
    public let client: String

    /// Removes the client `client`.
    public init(client: String) {
        self.client = client
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        client = try members.required("client")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["client": .string(client)] }
}

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
