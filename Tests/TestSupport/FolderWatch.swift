import Foundation
import Glibc

/// Waits for files in a folder without polling.
public final class FolderWatch: Sendable {
    private let folder: String
    private let fd: Int32

    /// Watches `folder`, which must exist.
    public init(_ folder: String) {
        self.folder = folder
        fd = inotify_init1(Int32(IN_CLOEXEC))
        let moved = UInt32(IN_MOVED_TO)
        let closed = UInt32(IN_CLOSE_WRITE)
        inotify_add_watch(fd, folder, moved | closed)
    }

    deinit {
        close(fd)
    }

    /// Returns the path of the first file that `matches`, or `nil` if there is no such file in time.
    ///
    /// The file may already exist. Changes to other files do not extend the time limit.
    public func file(
        within milliseconds: Int = 30_000,
        matching matches: (_ path: String, _ content: String) -> Bool
    ) -> String? {
        let deadline = ReadDeadline(within: milliseconds)
        var buffer = [UInt8](repeating: 0, count: 4096)
        repeat {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where !name.hasPrefix(".") {
                let path = folder + "/" + name
                guard let content = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
                if matches(path, content) { return path }
            }
        } while deadline.allowsReading(fd) && read(fd, &buffer, buffer.count) > 0
        return nil
    }
}
