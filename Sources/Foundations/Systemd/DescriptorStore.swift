import CLinux
public import Foundation
import Glibc
import Synchronization

/// A store for small secrets that the service manager keeps in memory while this process restarts.
///
/// Each secret is a sealed memory file that is sent in an `FDSTORE=1` message (`sd_pid_notify_with_fds(3)`).
public final class DescriptorStore: Sendable {
    /// The maximum number of descriptors, which must equal `FileDescriptorStoreMax=` in the unit file.
    public static let limit = 256
    /// The maximum size of a descriptor's content, in bytes.
    public static let contentLimit = 4096

    /// A descriptor that the service manager returned at startup.
    public struct Kept: Hashable, Sendable {
        /// The name of the descriptor.
        public let name: String
        /// The content, or `nil` if the descriptor is not sealed memory of at most ``contentLimit`` bytes.
        public let content: Data?
    }

    private let notifier: ServiceNotifier
    private let names: Mutex<Set<String>>

    /// Creates a store with the names of the descriptors that the service manager already stores.
    public init(notifier: ServiceNotifier, keeping names: Set<String> = []) {
        self.notifier = notifier
        self.names = Mutex(names)
    }

    /// Stores `content` under `name`, replacing older content, or returns `false` if the store is full or unavailable.
    @discardableResult
    public func keep(_ content: Data, named name: String) -> Bool {
        names.withLock { names in
            guard names.contains(name) || names.count < Self.limit else { return false }
            var descriptor: Int32 = -1
            let code = content.withUnsafeBytes {
                clinux_sealed_memory(name, $0.baseAddress, $0.count, &descriptor)
            }
            guard code == 0 else { return false }
            // Close this descriptor in any case, because the service manager receives a duplicate.
            defer { close(descriptor) }
            // Without this call, the service manager would store both the old and the new content under this name.
            notifier.forget(name)
            guard notifier.keep(descriptor, named: name) else { return false }
            names.insert(name)
            return true
        }
    }

    /// Removes the content with the given name from the service manager.
    public func forget(_ name: String) {
        names.withLock { names in
            names.remove(name)
            notifier.forget(name)
        }
    }

    /// Removes and closes the descriptors whose names start with `prefix`, and returns their contents.
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
