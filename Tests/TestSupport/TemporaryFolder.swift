public import Foundation

/// A private folder that lives as long as this object does.
public final class TemporaryFolder: Sendable {
    /// The folder; mode 0700.
    public let url: URL

    /// Makes a folder with a short path, so that Unix sockets fit into it.
    ///
    /// - Parameter isDurable: True for a folder on a disk, as tests of durability need; else it is in memory where
    ///   `/dev/shm` can be written, since most of a test's time is the disk's.
    /// - Throws: If the folder cannot be made.
    public init(isDurable: Bool = false) throws {
        let name = "tb-" + String(UInt64.random(in: 0..<UInt64.max), radix: 36)
        let memory = "/dev/shm"
        let isMemory = !isDurable && FileManager.default.isWritableFile(atPath: memory)
        url = URL(fileURLWithPath: isMemory ? memory : "/tmp").appendingPathComponent(name)
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
