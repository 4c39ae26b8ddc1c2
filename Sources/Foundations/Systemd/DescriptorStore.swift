import CLinux
public import Foundation
import Glibc
import Synchronization

/// Small secrets that the service manager stores in memory while this process restarts.
///
/// Secrets are stored with `FDSTORE=1` (`sd_pid_notify_with_fds(3)`). Each secret is a sealed memory file with a name.
/// Without a service manager, nothing is stored.
public final class DescriptorStore: Sendable {
    /// The maximum number of descriptors, which must equal `FileDescriptorStoreMax=` of the unit.
    public static let limit = 256
    /// The maximum size of a descriptor's content, in bytes.
    public static let contentLimit = 4096

    /// A descriptor that the service manager returned at startup.
    public struct Kept: Hashable, Sendable {
        /// The name of the descriptor.
        public let name: String
        /// The content, or `nil` if this process cannot have created the descriptor.
        public let content: Data?
    }

    private let notifier: ServiceNotifier
    private let names: Mutex<Set<String>>

    /// Creates a store in the service manager that `notifier` notifies.
    ///
    /// `names` are the names of contents that are already stored.
    public init(notifier: ServiceNotifier, keeping names: Set<String> = []) {
        self.notifier = notifier
        self.names = Mutex(names)
    }

    /// Stores `content` in the service manager, replacing any content with the same name.
    ///
    /// - Returns: Whether the message was sent. `false` without a service manager, or if the store is full.
    @discardableResult
    public func keep(_ content: Data, named name: String) -> Bool {
        names.withLock { names in
            guard names.contains(name) || names.count < Self.limit else { return false }
            var descriptor: Int32 = -1
            let code = content.withUnsafeBytes {
                clinux_sealed_memory(name, $0.baseAddress, $0.count, &descriptor)
            }
            guard code == 0 else { return false }
            // The message passes a duplicate of the descriptor to the service manager.
            defer { close(descriptor) }
            // Otherwise the service manager would store the old and the new content under the same name.
            notifier.forget(name)
            guard notifier.keep(descriptor, named: name) else { return false }
            names.insert(name)
            return true
        }
    }

    /// Removes the content with this name from the service manager.
    public func forget(_ name: String) {
        names.withLock { names in
            names.remove(name)
            notifier.forget(name)
        }
    }

    /// Takes the stored descriptors out of the inherited ones, reads their contents, and closes them.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of stored names. Names of sockets do not start with this prefix.
    ///   - descriptors: All inherited descriptors. On return, only the sockets are left.
    /// - Returns: The stored contents.
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
