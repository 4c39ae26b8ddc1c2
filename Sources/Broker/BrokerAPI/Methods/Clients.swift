public import FlowModel
import OAuth

extension NewClient: BrokerMethod, WireObject {
    /// The type of the response, which contains the client and, if the client is confidential, the client secret.
    public typealias Answer = AddedClient

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(
        { name, type, redirectURIs, scopes, audience, postLogout, backchannel, idToken, accessToken in
            Self(
                displayName: name,
                type: type,
                redirectURIs: redirectURIs,
                scopes: scopes,
                audience: audience,
                signOut: SignOutAddresses(postLogoutRedirectURIs: postLogout, backchannelLogoutURI: backchannel),
                signing: TokenSigning(idToken: idToken, accessToken: accessToken)
            )
        },
        Member("name", \.displayName, .string(1...256)),
        Member("type", \.type, .word(ClientType.self), or: .public),
        Member("redirectURIs", \.redirectURIs, .list(.string(1...2048), 0...32), unless: []),
        Member("scopes", \.scopes, .scopes, unless: []),
        Member("audience", optional: \.audience, .id),
        Member(
            "postLogoutRedirectURIs",
            \.signOut.postLogoutRedirectURIs,
            .list(.string(1...2048), 0...32),
            unless: []
        ),
        Member("backchannelLogoutURI", optional: \.signOut.backchannelLogoutURI, .string(1...512)),
        Member("idTokenAlg", \.signing.idToken, .word(TokenSigning.Algorithm.self), or: .es256),
        Member("accessTokenAlg", \.signing.accessToken, .word(TokenSigning.Algorithm.self), or: .es256)
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "client.add",
        "Registers a client and returns its id and its secret, which cannot be retrieved later.",
        wire.fields,
        for: .operators,
        changesState: true
    )
}

extension AddedClient: WireObject {
    /// The JSON members of the only response that contains the client secret.
    public static let wire = WireMembers(
        Self.init(client:secret:),
        Member("client", \.client),
        Member("secret", write: { $0.secret?.reveal() }, read: { .some($0.map { Secret($0) }) })
    )
}

/// The `client.list` method, with which operators list the registered clients.
public struct ClientList: BareMethod {
    /// The type of the response, which contains the clients.
    public typealias Answer = [ClientSummary]

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "client.list",
        "Lists the registered clients.",
        answer: "clients",
        for: .operators
    )

    /// Creates a call without parameters.
    public init() {}
}

/// The `client.remove` method, with which operators remove a client.
public struct ClientRemove: BrokerMethod, WireObject {
    /// The type of the response, which contains the id of the removed client.
    public typealias Answer = Removal

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(Self.init(client:), Member("client", \.client, .id))

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "client.remove",
        "Removes a client and revokes its tokens.",
        wire.fields,
        for: .operators,
        changesState: true
    )

    /// The `client_id` of the client to remove.
    public let client: String

    /// Creates a call that removes the client `client`.
    public init(client: String) {
        self.client = client
    }
}

extension ClientSummary: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        {
            client,
            name,
            type,
            redirectURIs,
            scopes,
            audience,
            postLogout,
            backchannel,
            idToken,
            accessToken,
            configured in
            Self(
                client: client,
                name: name,
                type: type,
                redirectURIs: redirectURIs,
                scopes: scopes,
                audience: audience,
                signOut: SignOutAddresses(postLogoutRedirectURIs: postLogout, backchannelLogoutURI: backchannel),
                signing: TokenSigning(idToken: idToken, accessToken: accessToken),
                configured: configured
            )
        },
        Member("client", \.client),
        Member("name", \.name, or: ""),
        Member("type", \.type),
        Member("redirectURIs", \.redirectURIs),
        Member("scopes", \.scopes),
        Member("audience", optional: \.audience),
        Member("postLogoutRedirectURIs", \.signOut.postLogoutRedirectURIs),
        Member("backchannelLogoutURI", optional: \.signOut.backchannelLogoutURI),
        Member("idTokenAlg", \.signing.idToken),
        Member("accessTokenAlg", \.signing.accessToken),
        Member("configured", \.configured, or: false)
    )
}

extension ClientType: WireWord {}
extension TokenSigning.Algorithm: WireWord {}
