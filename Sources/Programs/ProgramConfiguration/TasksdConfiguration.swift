import Foundation
public import OAuth
public import Policies
public import StrictYAML
public import Tables

/// The validated content of `tasksd.yaml`.
public struct TasksdConfiguration: Hashable, Sendable {
    /// An authority whose tokens are accepted.
    public struct Trust: Hashable, Sendable {
        /// Where the authority's keys are read from.
        public enum Source: Hashable, Sendable {
            /// A local Unix socket with the given path.
            case socket(path: String)
            /// The given URL, which has no trailing slash.
            case url(String)
            /// The first of these sockets that exists.
            ///
            /// Any issuer base is accepted from the authority behind it.
            case followed([AuthoritySocket])
        }

        /// Where the authority's keys are read from.
        public let source: Source
        /// The URL that the authority's issuers begin with, without a trailing slash.
        public let base: String
        /// The tenant in the authority's issuers.
        public let tenant: String
        /// The policies whose tokens are accepted, in the same order as in the file, or `nil` for all policies.
        public let policies: [PolicyID]?
        /// The accepted values of `aud`.
        public let audiences: [String]
        /// Whether a token must contain the scope of the requested operation.
        public let requiresScopes: Bool
        let place: YAMLValue
    }

    /// The settings for signing in at this API's URLs (`/.auth/login`).
    public struct SignIn: Hashable, Sendable {
        /// The client id at the authority.
        public let client: String
        /// The client secret, or `nil` for a public client.
        public let secret: Secret?
        /// The API's origins at which users can sign in.
        public let origins: [String]
        let place: YAMLValue

        /// The redirect URIs, one for each origin.
        public var redirectURIs: [String] { origins.map { $0 + "/.auth/login/callback" } }
    }

    /// The settings for the HTTP server, the log and the metrics.
    public let server: ServerSettings
    /// The authorities whose tokens are accepted.
    public let trust: [Trust]
    /// The additional requirements for protected paths, by path.
    public let protect: [String: ResourceDemand]
    /// The URI that identifies this API in its metadata (RFC 9728), or `nil` if no URI is configured.
    public let resource: String?
    let resourcePlace: YAMLValue
    /// The origins of web pages that may call the API.
    public let origins: [String]
    /// The settings for signing in at this API, or `nil` if sign-in is off.
    public let signIn: SignIn?
    /// The application key, or `nil` if no application key is configured.
    public let applicationKey: Secret?
    /// The master key, or `nil` if no master key is configured.
    public let masterKey: Secret?
    /// The tables, in the same order as in the file.
    public let tables: [TableDeclaration]
    /// The limits on what each user can store.
    public let limits: OwnerLimits
    /// The initial rows of the tables.
    public let seeds: [TableSeed]
    /// The loopback ports from which keys may be read over http, regardless of which process listens on them.
    public let trustedLoopback: Set<UInt16>

    /// Reads a file, resolves paths against its folder, and trusts `authoritySockets` if the file has no `trust`.
    ///
    /// `credential` returns the path of the service-manager credential with the given name.
    public static func load(
        path: String,
        authoritySockets: [AuthoritySocket],
        credential: (String) -> String? = { _ in nil }
    ) -> (TasksdConfiguration?, [Problem]) {
        do throws(Problem) {
            let node = try YAMLDocument.parse(path: path)
            let folder = ProgramPaths.folder(of: path)
            return read(node, folder: folder, authoritySockets: authoritySockets, credential: credential)
        } catch {
            return (nil, [error])
        }
    }

    /// Validates the content of a file, and returns `nil` for the configuration if any problem is an error.
    public static func read(
        _ node: YAMLNode,
        folder: String,
        authoritySockets: [AuthoritySocket],
        credential: (String) -> String? = { _ in nil }
    ) -> (TasksdConfiguration?, [Problem]) {
        var problems: [Problem] = []
        let file = TasksdShape.file.read(node, problems: &problems)
        let configuration = TasksdConfiguration(file, folder, authoritySockets, credential, problems: &problems)
        problems.sort { ($0.file, $0.line) < ($1.file, $1.line) }
        return (problems.contains { $0.severity == .error } ? nil : configuration, problems)
    }

    private init(
        _ file: YAMLValue,
        _ folder: String,
        _ authoritySockets: [AuthoritySocket],
        _ credential: (String) -> String?,
        problems: inout [Problem]
    ) {
        server = ServerSettings(file, port: TasksdShape.port, folder: folder, problems: &problems)
        let isGiven = file["trust"].isGiven
        trust = file["trust"].items.map { Trust($0, source: isGiven ? nil : .followed(authoritySockets)) }
        trustedLoopback = CommonShapes.trustedLoopback(file["outgoing"])
        protect = Dictionary(
            file["protect"].members.map { ($0.name, ResourceDemand($0.value)) },
            uniquingKeysWith: { first, _ in first }
        )
        resource = file["resource"].text == "none" ? nil : file["resource"].text
        resourcePlace = file["resource"]
        origins = file["cors"].items.map(\.text)
        signIn = SignIn(file["signIn"], folder: folder, problems: &problems)
        func key(_ name: String, _ credentialName: String) -> Secret? {
            let reader = AccessKeyReader(folder: folder, credential: credential(credentialName))
            return reader.read(file[name], name, problems: &problems)
        }
        applicationKey = key("applicationKeyFile", "application-key")
        masterKey = key("masterKeyFile", "master-key")
        var tables: [TableDeclaration] = []
        var seeds: [TableSeed] = []
        for (name, value) in file["tables"].members {
            if let other = tables.first(where: { $0.name.lowercased() == name.lowercased() }) {
                problems.append(
                    value.problem("`tables.\(name)` and `tables.\(other.name)` differ only in case; rename one of them")
                )
            }
            var reader = TableReader()
            let table = reader.read(name, value)
            problems += reader.problems
            guard let table else { continue }
            tables.append(table)
            let seed = SeedReader(table: table, trust: trust, folder: folder).read(value["seed"], problems: &problems)
            if let seed { seeds.append(seed) }
            for verb in TableDeclaration.Verb.allCases {
                let key: String
                switch table.access(verb) {
                case .application where applicationKey == nil: key = "applicationKeyFile"
                case .admin where masterKey == nil: key = "masterKeyFile"
                default: continue
                }
                let place = "`tables.\(name).access.\(verb.rawValue)`"
                problems.append(
                    value["access"][verb.rawValue].warning("\(place): without `\(key)` all requests are rejected")
                )
            }
        }
        self.tables = tables
        self.seeds = seeds
        let limits = file["limits"]
        self.limits = OwnerLimits(rows: limits["rowsPerOwner"].number, bytes: limits["bytesPerOwner"].number)
        problems += file["trust"].items.filter { $0["authority"].text.hasPrefix("http:") }.map { value in
            value["authority"].warning(
                "`trust`: a local process that takes the port of \(value["authority"].text) can sign any token; use https or unix:"
            )
        }
        var issuers: Set<String> = []
        for (value, trust) in zip(file["trust"].items, trust)
        where !issuers.insert("\(trust.base)/\(trust.tenant)").inserted {
            problems.append(value.problem("`trust` has \(trust.base)/\(trust.tenant) twice"))
        }
    }
}

extension TasksdConfiguration.SignIn {
    fileprivate init?(_ value: YAMLValue, folder: String, problems: inout [Problem]) {
        guard let client = value["client"].optionalText else { return nil }
        self.client = client
        place = value["client"]
        origins = value["origins"].items.map(\.text)
        secret = value["secretFile"].secret("signIn.secretFile", from: folder, problems: &problems) {
            file throws(PasswordFile.Fault) in try file.read()
        }
    }
}

extension TasksdConfiguration.Trust {
    fileprivate init(_ value: YAMLValue, source: Source?) {
        let authority = value["authority"].text
        self.source =
            source ?? (authority.hasPrefix("unix:") ? .socket(path: String(authority.dropFirst(5))) : .url(authority))
        base = value["base"].text
        tenant = value["tenant"].text
        policies =
            value["policies"].optionalText == "all"
            ? nil : value["policies"].items.compactMap { try? PolicyID($0.text) }
        audiences = value["audiences"].items.map(\.text)
        requiresScopes = value["scopes"].text != "ignored"
        place = value
    }
}

extension ResourceDemand {
    fileprivate init(_ value: YAMLValue) {
        self.init(
            scope: value.optionalText ?? value["scope"].text,
            acrValues: value["acrValues"].items.map(\.text),
            maxAge: value["maxAge"].optionalNumber.map { Int64($0) }
        )
    }
}
