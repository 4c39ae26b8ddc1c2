public import Foundation

/// A private folder that is removed when this object is deallocated.
public final class TemporaryFolder: Sendable {
    /// The location of the folder, which has mode 0700.
    public let url: URL

    /// Creates a folder whose path is short enough for Unix sockets in the folder.
    ///
    /// - Parameter isDurable: Whether the folder is on disk, as durability tests require. Otherwise it is in `/dev/shm`
    ///   if possible, because tests spend most of their time on disk writes.
    /// - Throws: An error if the folder cannot be created.
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

    /// Returns the path of an entry in this folder.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
