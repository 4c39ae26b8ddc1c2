import Files
import Foundation
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

    /// The HTTP proxy, or `nil` for direct connections.
    public let proxy: Proxy?
    /// The path of a PEM file with additional certificate authorities, or `nil` to trust only those of the system.
    public let caFile: String?
    /// The loopback ports that are trusted over http, regardless of which process listens on them.
    public let trustedLoopback: Set<UInt16>

    init(_ value: YAMLValue, folder: String, problems: inout [Problem]) {
        proxy = Proxy(value["proxy"].text)
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

    /// Returns why the file cannot be used, or `nil` if it contains at least one certificate.
    private static func fault(_ path: String) -> String? {
        do throws(FileError) {
            guard try FileStatus(path: path).kind == .file else { return "is not a file" }
        } catch {
            return "cannot be read"
        }
        guard let content = FileManager.default.contents(atPath: path) else { return "cannot be read" }
        return content.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) == nil ? "has no certificate (PEM)" : nil
    }
}
