public import FlowModel
import Foundation
import OAuth
public import Origins
public import Policies
import Spelling
public import StrictYAML

/// `tokenbrokerd.yaml`, checked.
public struct BrokerConfiguration: Hashable, Sendable {
    /// A protected API.
    public struct API: Hashable, Sendable {
        /// Its name, the first part of `<api>/<scope>`.
        public let name: String
        /// The `aud` of its access tokens.
        public let audience: String
        /// The URIs under which clients may ask for it (RFC 8707).
        public let resources: [String]
        /// The origins that its tokens may be sent to.
        public let origins: [WebOrigin]
        /// Its scopes, and what each allows in words.
        public let scopes: [String: String]
    }

    /// Limits of what may exist at once.
    public struct Limits: Hashable, Sendable {
        /// Open flows of one user.
        public let flowsPerUid: Int
        /// Open flows of all.
        public let flows: Int
        /// Connections of one user to each of the two sockets.
        public let connectionsPerUid: Int
        /// Requests of one user a second.
        public let requestsPerSecondPerUid: Int
        /// Passwords that are hashed at once.
        public let kdfJobs: Int
        /// Passwords that wait to be hashed.
        public let kdfQueue: Int
        /// Mails that one user has sent in ten minutes.
        public let mailsPerUid: Int
        /// Mails that one user has sent in 24 hours.
        public let mailsPerUidPerDay: Int
    }

    /// The ids of the two command lines, which are always clients.
    public static let commandLines = commandLineNames.keys.sorted()
    /// The names that people see of them, by id.
    static let commandLineNames = ["tokenbroker-cli": "Tokens for the terminal", "tasks-cli": "Tasks for the terminal"]

    /// The tenant, a part of every issuer.
    public let tenant: String
    /// Common beginning of all issuers, without a slash at its end.
    public let issuerBase: String
    /// The HTTP server, the log and the measurements.
    public let server: ServerSettings
    /// The addresses and networks of proxies whose `Forwarded` is believed.
    public let proxies: [NetworkRange]
    /// The policy for whoever names none and has no account yet.
    public let defaultPolicy: PolicyID
    /// The people who may sign up.
    public let signUp: SignUpMode
    /// The users who may call the operators' methods.
    public let operatorUIDs: [UInt32]
    /// The groups whose users may call the operators' methods.
    public let operatorGroups: [String]
    /// Transport of mail.
    public let mail: MailSettings
    /// The protected APIs by name.
    public let apis: [String: API]
    /// The clients by id.
    public let clients: [String: ClientSettings]
    /// The providers outside that prove people, by name.
    public let identityProviders: [String: ProviderSettings]
    /// The outside authorities whose tokens are kept, by name.
    public let authorities: [String: OutsideAuthoritySettings]
    /// The way to providers and outside authorities.
    public let outgoing: OutgoingSettings
    /// Limits of what may exist at once.
    public let limits: Limits

    /// The default policy in the file, where its problems are.
    private let place: YAMLValue

    /// Configuration where no file is there.
    public static var standard: BrokerConfiguration? {
        read(.empty(file: "default"), folder: "/").0
    }

    /// Reads a file of the disk; relative paths are from its folder.
    public static func load(path: String) -> (BrokerConfiguration?, [Problem]) {
        do throws(Problem) {
            let node = try YAMLDocument.parse(path: path)
            return read(node, folder: ProgramPaths.folder(of: path))
        } catch {
            return (nil, [error])
        }
    }

    /// Checks a file; there is a configuration exactly if no problem is an error.
    public static func read(_ node: YAMLNode, folder: String) -> (BrokerConfiguration?, [Problem]) {
        var problems: [Problem] = []
        let file = BrokerShape.file.read(node, problems: &problems)
        let configuration = BrokerConfiguration(file, folder: folder, problems: &problems)
        problems.sort { ($0.file, $0.line) < ($1.file, $1.line) }
        return (problems.contains { $0.severity == .error } ? nil : configuration, problems)
    }

    /// Finds settings that do not fit the policies, such as an unknown default policy.
    public func problems(with catalogue: PolicyCatalogue) -> [Problem] {
        var problems: [Problem] = []
        if let policy = catalogue[defaultPolicy] {
            if !policy.kind.signsIn, !policy.kind.signsUp {
                let kind = policy.kind.rawValue
                let message = "`defaultPolicy`: \(defaultPolicy) is of kind \(kind); it must sign people in or up"
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
                problems.append(place.warning("policy \(policy.id) grants scope \(scope), which none of `apis` has"))
            }
        }
        return problems + catalogue.laxerPolicies(than: defaultPolicy).map(place.warning)
    }

    private init?(_ file: YAMLValue, folder: String, problems: inout [Problem]) {
        tenant = file["tenant"].text
        issuerBase = file["issuerBase"].text
        server = ServerSettings(file, folder: folder, problems: &problems)
        signUp = file["signUp"].choice(refused: .closed)
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
            // A token is chosen by the origin that it goes to.
            let taken = apis.values.flatMap(\.origins) + authorities.values.flatMap(\.origins)
            if let shared = authority.origins.first(where: taken.contains) {
                let what = "`authorities.\(name).origins`: \(shared) is one of another API or authority"
                problems.append(value["origins"].problem(what))
            }
            authorities[name] = authority
        }
        self.authorities = authorities
        outgoing = OutgoingSettings(file["outgoing"], folder: folder, problems: &problems)
        limits = Self.limits(file["limits"], problems: &problems)
        place = file["defaultPolicy"]
        proxies = file["proxies"].items.compactMap { NetworkRange($0.text) }
        Self.checkProxies(file, server, problems: &problems)
        guard let policy = try? PolicyID(file["defaultPolicy"].text) else { return nil }
        defaultPolicy = policy
    }

    private static func checkProxies(_ file: YAMLValue, _ server: ServerSettings, problems: inout [Problem]) {
        let proxies = file["proxies"]
        if !proxies.items.isEmpty, !server.behindProxy {
            problems.append(proxies.warning("`proxies` has no effect without `behindProxy: true`"))
        }
        if proxies.items.isEmpty, server.behindProxy {
            let what = "all callers count as one until `proxies` names the proxy, which must send `Forwarded`"
            problems.append(file["behindProxy"].warning(what))
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

    /// Nobody comes to a base on a port that nothing listens at, unless a proxy stands in front.
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
                scopes: value["scopes"].texts
            )
            if let other = apis.values.first(where: { $0.audience == api.audience }) {
                problems.append(value.problem("`apis.\(name)` has the audience of `apis.\(other.name)`"))
            }
            for other in apis.values {
                if let shared = other.resources.first(where: api.resources.contains) {
                    problems.append(
                        value["resources"].problem("`apis.\(name).resources`: \(shared) is one of `apis.\(other.name)`")
                    )
                }
                // A token is chosen by the origin that it goes to.
                if let shared = other.origins.first(where: api.origins.contains) {
                    problems.append(
                        value["origins"].problem("`apis.\(name).origins`: \(shared) is one of `apis.\(other.name)`")
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
                problems.append(value.problem("`identityProviders.local`: local is this authority itself"))
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
    /// The address that providers and outside authorities send people back to.
    ///
    /// They compare it with what was registered, so it is in lower case like all addresses of ours.
    public var outsideRedirectURI: String { Self.outsideRedirectURI(base: issuerBase, tenant: tenant) }

    fileprivate static func outsideRedirectURI(base: String, tenant: String) -> String {
        "\(base)/\(tenant.lowercased())/oauth2/authresp"
    }
}
