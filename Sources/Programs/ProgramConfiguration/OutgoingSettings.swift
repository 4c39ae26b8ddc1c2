import Files
import Foundation
import StrictYAML

/// The way of requests to providers and outside authorities.
public struct OutgoingSettings: Hashable, Sendable {
    /// An HTTP proxy.
    public struct Proxy: Hashable, Sendable {
        /// Its name or address.
        public let host: String
        /// Its port; 80 if the address names none.
        public let port: Int

        /// Reads `http://HOST:PORT`; nil for anything else, a user's name and password included.
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

    /// The proxy; nil for none.
    public let proxy: Proxy?
    /// The path of a PEM file of certificate authorities to be trusted beside the system's; nil for none.
    public let caFile: String?
    /// The ports of this machine that are reached over http, whatever listens there.
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

    /// The reason why a file has no certificates; nil if it begins one.
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
