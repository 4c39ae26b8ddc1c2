import Foundation
public import OAuth
public import Policies
public import StrictYAML
public import Tables

/// `tasksd.yaml`, checked.
public struct TasksdConfiguration: Hashable, Sendable {
    /// An authority whose tokens are good.
    public struct Trust: Hashable, Sendable {
        /// The place of its keys.
        public enum Source: Hashable, Sendable {
            /// A Unix socket of this machine.
            case socket(path: String)
            /// A URL, without a slash at its end.
            case url(String)
            /// The authority of this machine, at the first of these that is there, whatever its base.
            case followed([AuthoritySocket])
        }

        /// The place of its keys.
        public let source: Source
        /// The beginning of its issuers, without a slash at its end.
        public let base: String
        /// Its tenant.
        public let tenant: String
        /// The policies whose tokens are good, in the file's order; nothing is all.
        public let policies: [PolicyID]?
        /// The `aud` of which a token must have one.
        public let audiences: [String]
        /// A token must have the scope of what it is used for.
        public let requiresScopes: Bool
        let place: YAMLValue
    }

    /// The terms on which people sign in at this API's own addresses.
    public struct SignIn: Hashable, Sendable {
        /// The client id at the authority.
        public let client: String
        /// The client's secret; nil for a public client.
        public let secret: Secret?
        /// This API's own origins.
        public let origins: [String]
        let place: YAMLValue

        /// The addresses at which browsers come back from the authority.
        public var redirectURIs: [String] { origins.map { $0 + "/.auth/login/callback" } }
    }

    /// The HTTP server, the log and the measurements.
    public let server: ServerSettings
    /// The authorities whose tokens are good.
    public let trust: [Trust]
    /// The paths that ask for more than a token, with their demands.
    public let protect: [String: ResourceDemand]
    /// This API's own URI, under which its metadata stands; nothing if there is none (RFC 9728).
    public let resource: String?
    let resourcePlace: YAMLValue
    /// The origins of web pages that may call.
    public let origins: [String]
    /// The terms on which people sign in at this API's own addresses; nil if nobody does.
    public let signIn: SignIn?
    /// The application key, if there is one.
    public let applicationKey: Secret?
    /// The master key, if there is one.
    public let masterKey: Secret?
    /// The tables, in the file's order.
    public let tables: [TableDeclaration]
    /// The most that one person may store.
    public let limits: OwnerLimits
    /// The rows that tables begin with.
    public let seeds: [TableSeed]
    /// The ports of this machine that are asked for keys over http, whatever listens there.
    public let trustedLoopback: Set<UInt16>

    /// Reads a file of the disk; relative paths are from its folder.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - authoritySockets: The sockets of this machine's authority, for a file that names none.
    ///   - credential: The path of a secret that the service manager hands over, by its name.
    /// - Returns: The configuration unless a problem is an error, and all problems.
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

    /// Checks a file; there is a configuration exactly if no problem is an error.
    ///
    /// A file without `trust` follows the authority of this machine, found by `authoritySockets`.
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
        server = ServerSettings(file, folder: folder, problems: &problems)
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
                    value.problem("`tables.\(name)` is the same table as `tables.\(other.name)`: names have no case")
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
                problems.append(value["access"][verb.rawValue].warning("\(place): without `\(key)` nobody may do this"))
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
    /// Reads the mapping; nil for `none`.
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
    /// The demand of a path: a scope, or a mapping.
    fileprivate init(_ value: YAMLValue) {
        self.init(
            scope: value.optionalText ?? value["scope"].text,
            acrValues: value["acrValues"].items.map(\.text),
            maxAge: value["maxAge"].optionalNumber.map { Int64($0) }
        )
    }
}
