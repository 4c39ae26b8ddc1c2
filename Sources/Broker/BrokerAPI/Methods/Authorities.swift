public import FlowModel
public import OAuth

extension NewAuthority: BrokerMethod {
    /// The type of the response, which contains the added authority.
    public typealias Answer = AuthoritySummary

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "authority.add",
        "Discovers an external authority and adds it for the caller's uid.",
        [
            .required("name", .name), Field("url", .string(1...2048)), Field("preset", .word(Preset.self)),
            .required("clientId", .string(1...512)), Field("clientSecret", .string(1...4096)),
            Field("displayName", .name), Field("scopes", .scopes), Field("additionalScopes", .scopes),
            Field("parameters", .map(.string(0...256), 0...16)),
            Field("origins", .list(.string(1...256), 0...8)),
        ],
        answer: "authority",
        changesState: true,
        // Allow 30 seconds, because the call reads the external authority's metadata.
        deadline: .seconds(30)
    )

    /// Creates a call from parameters that have already been validated.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(
            try members.required("name"),
            url: members["url"],
            clientID: try members.required("clientId")
        )
        preset = members["preset"]
        clientSecret = members["clientSecret"].map { Secret($0) }
        displayName = members["displayName"]
        scopes = members["scopes"] ?? []
        additionalScopes = members["additionalScopes"] ?? []
        parameters = members["parameters"] ?? [:]
        origins = members["origins"] ?? []
        guard origins.allSatisfy(OutsideURL.isOrigin) else {
            throw Members.invalid("origins", Text("refusal.origins"))
        }
        let (bytes, lower) = (authority.utf8, authority.lowercased())
        let isName = bytes.allSatisfy(Self.signs.contains) && bytes.first.map(Self.marks.contains) == false
        guard isName, !lower.hasPrefix("b2c_1_"), lower != "local" else {
            throw Members.invalid("name", Text("refusal.authorityName"))
        }
        if let name = parameters.keys.sorted().first(where: { AcquireRequest.reserved.contains($0.lowercased()) }) {
            throw Members.reserved("parameters.\(name)")
        }
    }

    private static let marks = Set("._-".utf8)
    private static let signs = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8).union(marks)

    /// The parameters of this call as JSON members.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("name", authority)
        object.set("url", url)
        object.set("preset", preset)
        object.set("clientId", clientID)
        object.set("clientSecret", clientSecret?.reveal())
        object.set("displayName", displayName)
        object.set("scopes", unlessEmpty: scopes)
        object.set("additionalScopes", unlessEmpty: additionalScopes)
        object.set("origins", unlessEmpty: origins)
        if !parameters.isEmpty { object.set("parameters", parameters) }
        return object.members
    }
}

/// The `authority.list` method, which lists the external authorities that the caller's uid can use.
public struct AuthorityList: BareMethod {
    /// The response, which contains the authorities and the redirect URI.
    public struct Answer: WireObject, Hashable {
        /// The JSON members, which are used to read and write the value.
        public static let wire = WireMembers(
            Self.init(authorities:redirectURI:),
            Member("authorities", \.authorities),
            Member("redirectURI", \.redirectURI)
        )

        /// The authorities that the operator configured, followed by those that the caller's uid added.
        public let authorities: [AuthoritySummary]
        /// The redirect URI that must be registered at each authority.
        public let redirectURI: String

        /// Creates a response.
        public init(authorities: [AuthoritySummary], redirectURI: String) {
            self.authorities = authorities
            self.redirectURI = redirectURI
        }
    }

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "authority.list",
        "Lists the external authorities that the caller can use."
    )

    /// Creates a call without parameters.
    public init() {}
}

/// The `authority.remove` method, which removes an external authority of the caller's uid and signs out its accounts.
public struct AuthorityRemove: BrokerMethod, WireObject {
    /// The response, which says what was removed and what could not be ended or revoked.
    public struct Answer: WireObject, Hashable {
        /// The JSON members, which are used to read and write the value.
        public static let wire = WireMembers(
            Self.init(removed:left:),
            Member("removed", \.removed),
            Member("left", \.left)
        )

        /// The name of the authority that was removed.
        public let removed: String
        /// Descriptions of the sessions that could not be ended and of the tokens that could not be revoked.
        public let left: [String]

        /// Creates a response.
        public init(removed: String, left: [String]) {
            self.removed = removed
            self.left = left
        }
    }

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(Self.init(name:), Member("name", \.name, .name))

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "authority.remove",
        "Removes an external authority of the caller's uid and signs out its accounts.",
        wire.fields,
        changesState: true,
        // Allow 30 seconds, because revoking the tokens requires requests to the external authority.
        deadline: .seconds(30)
    )

    /// The name of the authority to remove.
    public let name: String

    /// Creates a call that removes the authority `name`.
    public init(name: String) {
        self.name = name
    }
}

extension AuthoritySummary: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        Self.init(name:displayName:url:clientID:scopes:isOwn:found:),
        Member("name", \.name),
        Member("displayName", \.displayName, or: ""),
        Member("url", \.url),
        Member("clientId", \.clientID),
        Member("scopes", \.scopes),
        Member("own", \.isOwn, or: false),
        Member("found", optional: \.found)
    )
}

extension AuthorityAbilities: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        Self.init(identifies:keepsSignedIn:revokes:endsSessions:scopes:),
        Member("idTokens", \.identifies),
        Member("refreshTokens", \.keepsSignedIn),
        Member("revokes", \.revokes),
        Member("endsSessions", \.endsSessions),
        Member("scopes", \.scopes)
    )
}

extension NewAuthority.Preset: WireWord {}
