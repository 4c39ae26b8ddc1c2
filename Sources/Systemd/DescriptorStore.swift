import CLinux
public import Foundation
import Glibc
import Synchronization

/// Small secrets that the service manager keeps in memory while this process is started anew (`FDSTORE=1`,
/// `sd_pid_notify_with_fds(3)`).
///
/// Each is memory that nobody can change any more, known by a name. Without a manager nothing is kept.
public final class DescriptorStore: Sendable {
    /// Maximum number of descriptors; units say the same by `FileDescriptorStoreMax=`.
    public static let limit = 256
    /// The greatest number of bytes of one.
    public static let contentLimit = 4096

    /// Descriptor that the manager gave back at the start.
    public struct Kept: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// Contents; nil if this process would not have made them.
        public let content: Data?
    }

    private let notifier: ServiceNotifier
    private let names: Mutex<Set<String>>

    /// Keeps with the manager that `notifier` speaks to; `names` are kept there already.
    public init(notifier: ServiceNotifier, keeping names: Set<String> = []) {
        self.notifier = notifier
        self.names = Mutex(names)
    }

    /// Gives `content` to the manager, in place of what it keeps by this name.
    ///
    /// - Returns: Whether a manager was told; none is if there are too many.
    @discardableResult
    public func keep(_ content: Data, named name: String) -> Bool {
        names.withLock { names in
            guard names.contains(name) || names.count < Self.limit else { return false }
            var descriptor: Int32 = -1
            let code = content.withUnsafeBytes {
                clinux_sealed_memory(name, $0.baseAddress, $0.count, &descriptor)
            }
            guard code == 0 else { return false }
            // The manager has one of its own when the message is on its way.
            defer { close(descriptor) }
            // By one name it would keep both.
            notifier.forget(name)
            guard notifier.keep(descriptor, named: name) else { return false }
            names.insert(name)
            return true
        }
    }

    /// Has the manager close what it keeps by this name.
    public func forget(_ name: String) {
        names.withLock { names in
            names.remove(name)
            notifier.forget(name)
        }
    }

    /// Takes what was kept out of the descriptors that came with the start, and closes those.
    ///
    /// - Parameters:
    ///   - prefix: What names of kept ones begin with; no socket's does.
    ///   - descriptors: All that came; the sockets are left.
    /// - Returns: What was kept.
    public static func take(_ prefix: String, from descriptors: inout [InheritedSocket]) -> [Kept] {
        let mine = descriptors.filter { $0.name.hasPrefix(prefix) }
        descriptors.removeAll { $0.name.hasPrefix(prefix) }
        return mine.map { inherited in
            defer { close(inherited.descriptor) }
            var count = 0
            var bytes = [UInt8](repeating: 0, count: contentLimit)
            let code = clinux_read_sealed_memory(inherited.descriptor, &bytes, bytes.count, &count)
            return Kept(name: inherited.name, content: code == 0 ? Data(bytes[..<count]) : nil)
        }
    }
}
