public import FlowModel
public import OAuth

/// `authority.add`: an outside authority for the caller's uid.
extension NewAuthority: BrokerMethod {
    /// The answer: `{authority}`.
    public typealias Answer = AuthoritySummary

    /// Describes the method.
    public static let description = MethodDescription(
        "authority.add",
        "Looks at an outside authority, and adds it for the caller's uid.",
        [
            .required("name", .name), Field("url", .string(1...2048)), Field("preset", .word(Preset.self)),
            .required("clientId", .string(1...512)), Field("clientSecret", .string(1...4096)),
            Field("displayName", .name), Field("scopes", .scopes), Field("additionalScopes", .scopes),
            Field("parameters", .map(.string(0...256), 0...16)),
            Field("origins", .list(.string(1...256), 0...8)),
        ],
        answer: "authority",
        changesState: true,
        // Half a minute, since it asks the authority.
        deadline: .seconds(30)
    )

    /// Reads checked parameters.
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

    /// The parameters as they are written.
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

/// `authority.list`: the outside authorities that the caller's uid can name.
public struct AuthorityList: BareMethod {
    /// The answer: `{authorities, redirectURI}`.
    public struct Answer: WireObject, Hashable {
        /// The members on the wire.
        public static let wire = WireMembers(
            Self.init(authorities:redirectURI:),
            Member("authorities", \.authorities),
            Member("redirectURI", \.redirectURI)
        )

        /// The authorities, the operator's first.
        public let authorities: [AuthoritySummary]
        /// The address to register at any of them.
        public let redirectURI: String

        /// An answer.
        public init(authorities: [AuthoritySummary], redirectURI: String) {
            self.authorities = authorities
            self.redirectURI = redirectURI
        }
    }

    /// Describes the method.
    public static let description = MethodDescription(
        "authority.list",
        "Lists the outside authorities that the caller can name."
    )

    /// Asks for all.
    public init() {}
}

/// `authority.remove`: removes an outside authority of the caller's uid, and signs its accounts out.
public struct AuthorityRemove: BrokerMethod, WireObject {
    /// The answer: `{removed, left}`.
    public struct Answer: WireObject, Hashable {
        /// The members on the wire.
        public static let wire = WireMembers(
            Self.init(removed:left:),
            Member("removed", \.removed),
            Member("left", \.left)
        )

        /// The name of the authority.
        public let removed: String
        /// What could not be ended there, in words.
        public let left: [String]

        /// An answer.
        public init(removed: String, left: [String]) {
            self.removed = removed
            self.left = left
        }
    }

    /// The parameters.
    public static let wire = WireMembers(Self.init(name:), Member("name", \.name, .name))

    /// Describes the method.
    public static let description = MethodDescription(
        "authority.remove",
        "Removes an outside authority of the caller's uid, and signs its accounts out.",
        wire.fields,
        changesState: true,
        // Half a minute, since tokens are revoked.
        deadline: .seconds(30)
    )

    /// The name of the authority.
    public let name: String

    /// Removes the authority of a name.
    public init(name: String) {
        self.name = name
    }
}

extension AuthoritySummary: WireObject {
    /// The members on the wire.
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
    /// The members on the wire.
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
