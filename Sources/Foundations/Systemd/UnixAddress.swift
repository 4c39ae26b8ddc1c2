import Glibc

/// The path of a Unix socket in the kernel's form (`unix(7)`).
struct UnixAddress: Sendable {
    /// The maximum length of a path in bytes, excluding the terminating NUL.
    static let limit = 107

    private let address: sockaddr_un

    /// Converts `path` to the kernel's form.
    ///
    /// - Throws: `ENAMETOOLONG` if the path has more than ``limit`` bytes, or `ENOENT` if the path is empty.
    init(_ path: String) throws(SystemError) {
        guard !path.isEmpty else { throw SystemError("bind", ENOENT) }
        guard path.utf8.count <= Self.limit else { throw SystemError("bind", ENAMETOOLONG) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        self.address = address
    }

    /// Creates a non-blocking stream socket that child processes do not inherit.
    static func makeSocket() throws(SystemError) -> Int32 {
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_UNIX, Int32(type), 0)
        guard descriptor >= 0 else { throw SystemError("socket", errno) }
        return descriptor
    }

    func bind(_ descriptor: Int32) throws(SystemError) { try call("bind", Glibc.bind, descriptor) }

    func connect(_ descriptor: Int32) throws(SystemError) { try call("connect", Glibc.connect, descriptor) }

    private func call(
        _ name: String,
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32,
        _ descriptor: Int32
    ) throws(SystemError) {
        let code = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
            }
        }
        guard code == 0 else { throw SystemError(name, code) }
    }
}

extension PeerCredentials {
    /// Connects to a Unix socket without waiting, and reads the credentials of the process that is listening on it.
    ///
    /// - Throws: The failed call's error, such as `ECONNREFUSED` without a listener, or `EAGAIN` if the queue is full.
    public init(listeningAt path: String) throws(SystemError) {
        let address = try UnixAddress(path)
        let descriptor = try UnixAddress.makeSocket()
        defer { close(descriptor) }
        try address.connect(descriptor)
        try self.init(descriptor: descriptor)
    }
}
