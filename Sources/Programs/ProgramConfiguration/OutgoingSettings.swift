import Files
import Foundation
import OutgoingHTTP
public import Policies
import StrictYAML

/// The settings for connections to identity providers and external authorities.
public struct OutgoingSettings: Hashable, Sendable {
    /// An HTTP proxy.
    public struct Proxy: Hashable, Sendable {
        /// The host name or address.
        public let host: String
        /// The port (80 by default).
        public let port: Int

        /// Parses `http://HOST:PORT` or `http://HOST`, or returns `nil` for any other text.
        init?(_ text: String) {
            guard let url = URLComponents(string: text), url.scheme == "http", let host = url.host, !host.isEmpty,
                url.user == nil, url.password == nil, url.path.isEmpty || url.path == "/", url.query == nil,
                url.fragment == nil, Rules.host.refusal(host.filter { !"[]".contains($0) }) == nil
            else { return nil }
            let port = url.port ?? 80
            guard (1...65_535).contains(port) else { return nil }
            self.host = host
            self.port = port
        }
    }

    /// The user name and the password with which the daemon authenticates to the proxy (RFC 7617).
    public struct ProxyCredentials: Hashable, Sendable {
        /// The user name, without a colon.
        public let username: String
        /// The file with the password, which is read at startup.
        public let passwordFile: PasswordFile
    }

    /// The HTTP proxy, or `nil` for direct connections.
    public let proxy: Proxy?
    /// The credentials for ``proxy``, or `nil` if the proxy requires no authentication.
    public let proxyCredentials: ProxyCredentials?
    /// The path of a PEM file with additional certificate authorities, or `nil` to trust only those of the system.
    public let caFile: String?
    /// The loopback ports that are trusted over http, regardless of which process listens on them.
    public let trustedLoopback: Set<UInt16>

    init(_ value: YAMLValue, folder: String, problems: inout [Problem]) {
        proxy = Proxy(value["proxy"].text)
        proxyCredentials = Self.credentials(value, folder: folder, hasProxy: proxy != nil, problems: &problems)
        trustedLoopback = CommonShapes.trustedLoopback(value)
        let file = value["caFile"]
        guard file.text != "none" else {
            caFile = nil
            return
        }
        let path = file.path(from: folder)
        caFile = path
        if let fault = Self.fault(path) { problems.append(file.problem("`outgoing.caFile`: \(path) \(fault)")) }
    }

    private static func credentials(
        _ value: YAMLValue,
        folder: String,
        hasProxy: Bool,
        problems: inout [Problem]
    ) -> ProxyCredentials? {
        let keys = ["proxyUsername", "proxyPasswordFile"]
        for key in keys where value[key].isPresent && !hasProxy {
            problems.append(value[key].warning("`outgoing.\(key)` has no effect without `outgoing.proxy`"))
        }
        let missing = keys.filter { !value[$0].isPresent }
        guard missing.isEmpty else {
            for key in keys where value[key].isPresent {
                let what = "`outgoing.\(missing[0])` is missing: the proxy requires a user name and a password"
                problems.append(value[key].problem(what))
            }
            return nil
        }
        let file = PasswordFile(path: value["proxyPasswordFile"].path(from: folder))
        do throws(PasswordFile.Fault) {
            try file.check()
        } catch {
            problems.append(value["proxyPasswordFile"].problem("`outgoing.proxyPasswordFile`: \(error)"))
        }
        return ProxyCredentials(username: value["proxyUsername"].text, passwordFile: file)
    }

    /// Returns why the file cannot be used, or `nil` if it contains at least one certificate and no invalid one.
    private static func fault(_ path: String) -> String? {
        do throws(FileError) {
            guard try FileStatus(path: path).kind == .file else { return "is not a file" }
        } catch {
            return "cannot be read"
        }
        guard FileManager.default.isReadableFile(atPath: path) else { return "cannot be read" }
        if let fault = PasswordFile.markFault(ofPEM: path) { return fault }
        do {
            _ = try OutgoingRoute(proxy: nil, authorityFile: path)
            return nil
        } catch {
            return "contains no readable certificates (PEM)"
        }
    }
}
