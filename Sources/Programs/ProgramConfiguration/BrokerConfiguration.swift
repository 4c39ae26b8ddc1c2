public import FlowModel
import Foundation
public import OAuth
public import Origins
public import Policies
import Spelling
public import StrictYAML

/// The validated content of `tokenbrokerd.yaml`.
public struct BrokerConfiguration: Hashable, Sendable {
    /// A protected API.
    public struct API: Hashable, Sendable {
        /// The API's name, which is the first part of `<api>/<scope>`.
        public let name: String
        /// The `aud` claim of the API's access tokens.
        public let audience: String
        /// The URIs with which clients can request tokens for the API (RFC 8707).
        public let resources: [String]
        /// The origins to which the API's access tokens may be sent.
        public let origins: [WebOrigin]
        /// A description of what each scope permits, by scope.
        public let scopes: [String: String]
        /// The scopes that an authorization or device request without `scope` requests.
        public let defaultScopes: [String]
    }

    /// The daemon's resource limits.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of open flows per user.
        public let flowsPerUid: Int
        /// The maximum number of open flows in total.
        public let flows: Int
        /// The maximum number of connections per user to each of the two sockets.
        public let connectionsPerUid: Int
        /// The maximum number of requests per second from each user.
        public let requestsPerSecondPerUid: Int
        /// The maximum number of password hashes computed at the same time.
        public let kdfJobs: Int
        /// The maximum number of password hashes that wait in the queue.
        public let kdfQueue: Int
        /// The maximum number of mail messages that one user can cause to be sent in ten minutes.
        public let mailsPerUid: Int
        /// The maximum number of mail messages that one user can cause to be sent in 24 hours.
        public let mailsPerUidPerDay: Int
    }

    /// The client ids of the two command-line programs, which are always registered.
    public static let commandLines = commandLineNames.keys.sorted()
    /// The names of the command-line programs as users see them, by client id.
    static let commandLineNames = ["tokenbroker-cli": "Tokens for the terminal", "tasks-cli": "Tasks for the terminal"]

    /// The tenant, which is part of every issuer.
    public let tenant: String
    /// The URL that every issuer begins with, without a trailing slash.
    public let issuerBase: String
    /// The settings for the HTTP server, the log and the metrics.
    public let server: ServerSettings
    /// The addresses and networks of proxies whose ``forwardedHeader`` is trusted.
    public let proxies: [NetworkRange]
    /// The header that the ``proxies`` set to the client's address, or `nil` if there are none.
    public let forwardedHeader: ForwardedHeader?
    /// The policy for requests that specify neither a policy nor an account.
    public let defaultPolicy: PolicyID
    /// The rule that determines who may sign up.
    public let signUp: SignUpMode
    /// How long after its rotation a refresh token can be presented again over HTTP, or zero for not at all.
    public let refreshGrace: Duration
    /// The uids that may call the operator methods.
    public let operatorUIDs: [UInt32]
    /// The groups whose members may call the operator methods.
    public let operatorGroups: [String]
    /// The settings for sending mail.
    public let mail: MailSettings
    /// The protected APIs, by name.
    public let apis: [String: API]
    /// The clients, by id.
    public let clients: [String: ClientSettings]
    /// The identity providers, by name.
    public let identityProviders: [String: ProviderSettings]
    /// The external authorities whose tokens are stored, by name.
    public let authorities: [String: OutsideAuthoritySettings]
    /// The settings for connections to identity providers and external authorities.
    public let outgoing: OutgoingSettings
    /// The daemon's resource limits.
    public let limits: Limits

    /// The position in the file at which warnings and errors about the policies are reported.
    private let place: YAMLValue

    /// The configuration that applies if no file exists, or `nil` if the defaults are invalid.
    public static var standard: BrokerConfiguration? {
        read(.empty(file: "default"), folder: "/").0
    }

    /// Reads the configuration file at `path`, and resolves relative paths against the file's folder.
    public static func load(path: String) -> (BrokerConfiguration?, [Problem]) {
        do throws(Problem) {
            let node = try YAMLDocument.parse(path: path)
            return read(node, folder: ProgramPaths.folder(of: path))
        } catch {
            return (nil, [error])
        }
    }

    /// Validates a file with paths relative to `folder`, and returns no configuration if any problem is an error.
    public static func read(_ node: YAMLNode, folder: String) -> (BrokerConfiguration?, [Problem]) {
        var problems: [Problem] = []
        let file = BrokerShape.file.read(node, problems: &problems)
        let configuration = BrokerConfiguration(file, folder: folder, problems: &problems)
        problems.sort { ($0.file, $0.line) < ($1.file, $1.line) }
        return (problems.contains { $0.severity == .error } ? nil : configuration, problems)
    }

    /// Returns a problem for each setting that does not match the policies, such as an unknown default policy.
    public func problems(with catalogue: PolicyCatalogue) -> [Problem] {
        var problems: [Problem] = []
        if let policy = catalogue[defaultPolicy] {
            if !policy.kind.signsIn, !policy.kind.signsUp {
                let kind = policy.kind.rawValue
                let message =
                    "`defaultPolicy`: \(defaultPolicy) is of kind \(kind); it must be a policy for signing in or up"
                problems.append(place.problem(message))
            }
        } else {
            let names = catalogue.policies.keys.map(\.description)
            let hint = NearestName.of(defaultPolicy.description, among: names).map { "; did you mean \($0)?" } ?? ""
            let missing = catalogue.unavailable[defaultPolicy].map { "\(defaultPolicy) is unavailable: \($0.message)" }
            let message = "`defaultPolicy`: \(missing ?? "there is no policy \(defaultPolicy)\(hint)")"
            problems.append(place.problem(message))
        }
        let scopes = Set(apis.values.flatMap { api in api.scopes.keys.flatMap { [$0, "\(api.name)/\($0)"] } })
        for policy in catalogue.policies.values.sorted(by: { $0.id < $1.id }) {
            for scope in policy.scopes.keys.sorted() where !scopes.contains(scope) {
                problems.append(
                    place.warning("policy \(policy.id) grants scope \(scope), which no API in `apis` defines")
                )
            }
        }
        return problems + catalogue.weakerPolicies(than: defaultPolicy).map(place.warning)
    }

    private init?(_ file: YAMLValue, folder: String, problems: inout [Problem]) {
        tenant = file["tenant"].text
        issuerBase = file["issuerBase"].text
        server = ServerSettings(file, port: BrokerShape.port, folder: folder, problems: &problems)
        signUp = file["signUp"].choice(refused: .closed)
        refreshGrace = .seconds(file["refreshGraceSec"].number)
        operatorUIDs = file["operators"]["uids"].items.map { UInt32(clamping: $0.number) }
        operatorGroups = file["operators"]["groups"].items.map(\.text)
        mail = MailSettings(file["mail"], folder: folder, problems: &problems)
        apis = Self.apis(file["apis"], problems: &problems)
        clients = Self.clients(
            file["clients"],
            apis: apis.keys.sorted(),
            base: file["issuerBase"].text,
            folder: folder,
            problems: &problems
        )
        identityProviders = Self.providers(file["identityProviders"], folder: folder, problems: &problems)
        var authorities: [String: OutsideAuthoritySettings] = [:]
        for (name, value) in file["authorities"].members {
            let authority = OutsideAuthoritySettings(
                name: name,
                value,
                here: Self.outsideRedirectURI(base: issuerBase, tenant: tenant),
                folder: folder,
                problems: &problems
            )
            // A request's origin determines which token is sent, so no two APIs or authorities can share an origin.
            let taken = apis.values.flatMap(\.origins) + authorities.values.flatMap(\.origins)
            if let shared = authority.origins.first(where: taken.contains) {
                let what = "`authorities.\(name).origins`: \(shared) already belongs to another API or authority"
                problems.append(value["origins"].problem(what))
            }
            authorities[name] = authority
        }
        self.authorities = authorities
        outgoing = OutgoingSettings(file["outgoing"], folder: folder, problems: &problems)
        limits = Self.limits(file["limits"], problems: &problems)
        place = file["defaultPolicy"]
        proxies = file["proxies"].items.compactMap { NetworkRange($0.text) }
        forwardedHeader = file["forwardedHeader"].optionalChoice()
        Self.checkProxies(file, server, problems: &problems)
        guard let policy = try? PolicyID(file["defaultPolicy"].text) else { return nil }
        defaultPolicy = policy
    }

    private static func checkProxies(_ file: YAMLValue, _ server: ServerSettings, problems: inout [Problem]) {
        let proxies = file["proxies"]
        if !proxies.items.isEmpty, !server.behindProxy {
            problems.append(proxies.warning("`proxies` has no effect without `behindProxy: true`"))
        }
        let header = file["forwardedHeader"]
        // An unknown header is absent here, and already reported.
        let isReported = problems.contains { $0.message.contains("`forwardedHeader`") }
        if proxies.items.isEmpty, server.behindProxy {
            let what = "all callers count as one until `proxies` lists the proxy and `forwardedHeader` its header"
            problems.append(file["behindProxy"].warning(what))
        } else if server.behindProxy, !header.isPresent, !isReported {
            let names = ForwardedHeader.allCases.map { "`\($0.rawValue)`" }.joined(separator: " or ")
            problems.append(
                proxies.problem(
                    "`forwardedHeader` is missing: which header does the proxy set to the client's address, \(names)?"
                )
            )
        }
        if header.isPresent, proxies.items.isEmpty || !server.behindProxy {
            problems.append(header.warning("`forwardedHeader` has no effect without `behindProxy: true` and `proxies`"))
        }
        let base = file["issuerBase"]
        if base.text.hasPrefix("https:"), server.tls == nil, !server.behindProxy {
            problems.append(base.warning("`issuerBase` is https, but neither `tls` nor `behindProxy` is set"))
        }
        checkReach(file, server, problems: &problems)
        if base.text.hasPrefix("http:"), server.tls != nil {
            problems.append(base.problem("`issuerBase` is http, but `tls` is set; it must be https"))
        }
        if server.tls == .localCA, !server.behindProxy, let host = URLComponents(string: base.text)?.host,
            !Loopback.contains(host: host)
        {
            let what = "the certificate of `tls: localCA` is for localhost only, and `issuerBase` is at \(host)"
            problems.append(base.problem(what))
        }
    }

    /// Reports a problem if no listener has the issuer base's port, unless a proxy or another server terminates TLS.
    private static func checkReach(_ file: YAMLValue, _ server: ServerSettings, problems: inout [Problem]) {
        let base = file["issuerBase"].text
        guard let url = URLComponents(string: base), !server.behindProxy,
            base.hasPrefix("http:") || server.tls != nil
        else { return }
        let port = url.port ?? (base.hasPrefix("http:") ? 80 : 443)
        guard !server.listen.contains(where: { $0.port == port || $0.port == 0 }) else { return }
        let value = file["listen"].isGiven ? file["listen"] : file["issuerBase"]
        problems.append(
            value.problem(
                "`listen` has no address with port \(port), where `issuerBase` is: \(base); change one of them"
            )
        )
    }

    private static func apis(_ value: YAMLValue, problems: inout [Problem]) -> [String: API] {
        var apis: [String: API] = [:]
        for (name, value) in value.members {
            let api = API(
                name: name,
                audience: value["audience"].optionalText ?? name,
                resources: value["resources"].items.map(\.text),
                origins: value["origins"].items.compactMap { WebOrigin($0.text) },
                scopes: value["scopes"].texts,
                defaultScopes: value["defaultScopes"].items.map(\.text)
            )
            for scope in value["defaultScopes"].items where api.scopes[scope.text] == nil {
                let hint = NearestName.of(scope.text, among: api.scopes.keys).map { "; did you mean \($0)?" } ?? ""
                problems.append(
                    scope.problem(
                        "`apis.\(name).defaultScopes`: `apis.\(name).scopes` does not define \(scope.text)\(hint)"
                    )
                )
            }
            if let other = apis.values.first(where: { $0.audience == api.audience }) {
                problems.append(value.problem("`apis.\(name)` has the audience of `apis.\(other.name)`"))
            }
            for other in apis.values {
                if let shared = other.resources.first(where: api.resources.contains) {
                    problems.append(
                        value["resources"].problem(
                            "`apis.\(name).resources`: \(shared) already belongs to `apis.\(other.name)`"
                        )
                    )
                }
                // The origin of a request determines which token is sent, so no two APIs can share an origin.
                if let shared = other.origins.first(where: api.origins.contains) {
                    problems.append(
                        value["origins"].problem(
                            "`apis.\(name).origins`: \(shared) already belongs to `apis.\(other.name)`"
                        )
                    )
                }
            }
            apis[name] = api
        }
        return apis
    }

    private static func clients(
        _ value: YAMLValue,
        apis: [String],
        base: String,
        folder: String,
        problems: inout [Problem]
    ) -> [String: ClientSettings] {
        var clients: [String: ClientSettings] = [:]
        for (id, name) in commandLineNames { clients[id] = ClientSettings(commandLine: id, named: name, apis: apis) }
        for (id, value) in value.members {
            let client = ClientSettings(id: id, value, folder: folder, problems: &problems)
            problems += client.problems(value, apis: apis, base: base)
            clients[id] = client
        }
        return clients
    }

    private static func providers(
        _ value: YAMLValue,
        folder: String,
        problems: inout [Problem]
    ) -> [String: ProviderSettings] {
        var providers: [String: ProviderSettings] = [:]
        for (name, value) in value.members {
            if name == Policy.local {
                problems.append(
                    value.problem("`identityProviders.local`: the name `local` is reserved for this authority")
                )
            }
            providers[name] = ProviderSettings(name: name, value, folder: folder, problems: &problems)
        }
        return providers
    }

    private static func limits(_ value: YAMLValue, problems: inout [Problem]) -> Limits {
        if value["flowsPerUid"].number > value["flows"].number {
            problems.append(value["flowsPerUid"].problem("`limits.flowsPerUid` is more than `limits.flows`"))
        }
        return Limits(
            flowsPerUid: value["flowsPerUid"].number,
            flows: value["flows"].number,
            connectionsPerUid: value["connectionsPerUid"].number,
            requestsPerSecondPerUid: value["requestsPerSecondPerUid"].number,
            kdfJobs: value["kdfJobs"].number,
            kdfQueue: value["kdfQueue"].number,
            mailsPerUid: value["mailsPerUid"].number,
            mailsPerUidPerDay: value["mailsPerUidPerDay"].number
        )
    }
}

extension BrokerConfiguration {
    /// The daemon's redirect URI, in lower case because providers compare it character by character.
    public var outsideRedirectURI: String { Self.outsideRedirectURI(base: issuerBase, tenant: tenant) }

    fileprivate static func outsideRedirectURI(base: String, tenant: String) -> String {
        "\(base)/\(tenant.lowercased())/oauth2/authresp"
    }
}
