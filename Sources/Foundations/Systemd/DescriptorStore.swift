import CLinux
public import Foundation
import Glibc
import Synchronization

/// Small secrets that the service manager keeps in memory while this process restarts (`FDSTORE=1`,
/// `sd_pid_notify_with_fds(3)`).
///
/// Each is a sealed memory file with a name. Without a manager nothing is kept.
public final class DescriptorStore: Sendable {
    /// Maximum number of descriptors; units say the same by `FileDescriptorStoreMax=`.
    public static let limit = 256
    /// The largest content of a descriptor, in bytes.
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

    /// Makes a store with the manager that `notifier` speaks to, which keeps `names` already.
    public init(notifier: ServiceNotifier, keeping names: Set<String> = []) {
        self.notifier = notifier
        self.names = Mutex(names)
    }

    /// Gives `content` to the manager, in place of what it keeps by this name.
    ///
    /// - Returns: True if a manager was told; false without a manager, and if too many are kept.
    @discardableResult
    public func keep(_ content: Data, named name: String) -> Bool {
        names.withLock { names in
            guard names.contains(name) || names.count < Self.limit else { return false }
            var descriptor: Int32 = -1
            let code = content.withUnsafeBytes {
                clinux_sealed_memory(name, $0.baseAddress, $0.count, &descriptor)
            }
            guard code == 0 else { return false }
            // The message carries a duplicate for the manager.
            defer { close(descriptor) }
            // The manager would keep both under one name.
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

    /// Takes the kept contents out of the inherited descriptors, and closes those.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of kept names; no socket's name has it.
    ///   - descriptors: All inherited descriptors; the sockets are left.
    /// - Returns: The kept contents.
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
