public import Foundation

/// A private folder that lives as long as this object does.
public final class TemporaryFolder: Sendable {
    /// The folder; mode 0700.
    public let url: URL

    /// Makes a folder with a short path, so that Unix sockets fit into it.
    public init() throws {
        let name = "tb-" + String(UInt64.random(in: 0..<UInt64.max), radix: 36)
        url = URL(fileURLWithPath: "/tmp").appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of an entry of this folder.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
