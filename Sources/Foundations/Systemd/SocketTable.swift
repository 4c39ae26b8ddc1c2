import CLinux
import Glibc
import Synchronization

struct TCPSocket: Hashable, Sendable {
    let uid: UInt32
    let inode: UInt32

    /// The uid of the process that owns the socket, or `nil` if no process owns it or the kernel cannot map the uid.
    var owner: UInt32? { inode == 0 || uid == PeerCredentials.overflowUID ? nil : uid }
}

/// The kernel interfaces that can list sockets, in order of preference.
enum SocketTable: CaseIterable {
    /// Queries for particular sockets (sock_diag(7)), whose cost does not depend on the number of sockets.
    case netlink
    /// The tables of all sockets in `/proc/net` (proc(5)), for systems that forbid the queries of ``netlink``.
    case files

    /// The interfaces to try one after another, which are all interfaces except in tests.
    @TaskLocal static var inUse = allCases

    func connection(from local: TCPOwner.End, to remote: TCPOwner.End) throws(SystemError) -> TCPSocket? {
        switch self {
        case .netlink: try Netlink.connection(from: local, to: remote)
        case .files: try SocketFiles.read().connection(from: local, to: remote)
        }
    }

    func listeners(port: UInt16) throws(SystemError) -> [TCPSocket] {
        switch self {
        case .netlink: try Netlink.listeners(port: port)
        case .files: try SocketFiles.read().listeners(port: port)
        }
    }
}

enum Netlink {
    private static let most = 256

    private static let answers = Atomic(false)

    /// Throws an error if the kernel rejects queries, because a rejected query could look like a missing connection.
    private static func requireAnswers() throws(SystemError) {
        guard !answers.load(ordering: .relaxed) else { return }
        _ = try listeners(AF_INET, port: 1)
        answers.store(true, ordering: .relaxed)
    }

    static func connection(from local: TCPOwner.End, to remote: TCPOwner.End) throws(SystemError) -> TCPSocket? {
        try requireAnswers()
        var (from, to, found) = (end(local), end(remote), clinux_tcp_socket())
        let code = clinux_tcp_connection(local.bytes.count == 4 ? AF_INET : AF_INET6, &from, &to, &found)
        guard code != ENOENT else { return nil }
        guard code == 0 else { throw SystemError("sock_diag", code) }
        let socket = TCPSocket(found)
        return switch UInt32(found.state) {
        case clinux_tcp_established.rawValue: socket
        // The connection is not accepted yet, because the server waits for the first bytes (TCP_DEFER_ACCEPT, tcp(7)).
        case clinux_tcp_syn_received.rawValue where socket.inode == 0: socket
        default: nil
        }
    }

    static func listeners(port: UInt16) throws(SystemError) -> [TCPSocket] {
        let ipv4 = try listeners(AF_INET, port: port)
        do throws(SystemError) {
            return ipv4 + (try listeners(AF_INET6, port: port))
        } catch {
            // A kernel without IPv6 reports `ENOENT`, which means that there are no IPv6 sockets.
            guard error.code == ENOENT else { throw error }
            return ipv4
        }
    }

    private static func listeners(_ family: Int32, port: UInt16) throws(SystemError) -> [TCPSocket] {
        var code: Int32 = 0
        let found = [clinux_tcp_socket](unsafeUninitializedCapacity: most) { buffer, count in
            code = clinux_tcp_listeners(family, port, buffer.baseAddress, most, &count)
        }
        guard code == 0 else { throw SystemError("sock_diag", code) }
        return found.map(TCPSocket.init)
    }

    private static func end(_ end: TCPOwner.End) -> clinux_tcp_end {
        var result = clinux_tcp_end()
        result.port = end.port
        withUnsafeMutableBytes(of: &result.address) { $0.copyBytes(from: end.bytes) }
        return result
    }
}

extension TCPSocket {
    fileprivate init(_ socket: clinux_tcp_socket) {
        self.init(uid: socket.uid, inode: socket.inode)
    }
}

/// The contents of `/proc/net/tcp` and `/proc/net/tcp6` (proc(5)).
struct SocketFiles {
    let ipv4: String
    let ipv6: String

    /// Reads the IPv4 file and the optional IPv6 file, or throws `EACCES` if the IPv4 file cannot be opened.
    static func read() throws(SystemError) -> SocketFiles {
        // A unit with `ProcSubset=pid` hides `/proc/net`, but `/proc/self/net` has the same content.
        guard let ipv4 = KernelFile.text("/proc/self/net/tcp") else { throw SystemError("/proc/self/net/tcp", EACCES) }
        return SocketFiles(ipv4: ipv4, ipv6: KernelFile.text("/proc/self/net/tcp6") ?? "")
    }

    /// Returns the socket at the `local` end of a connection that is established or waiting to be accepted.
    ///
    /// An IPv4 connection that uses an IPv6 socket is listed in the IPv6 file.
    func connection(from local: TCPOwner.End, to remote: TCPOwner.End) -> TCPSocket? {
        let spellings = local.bytes.count == 4 ? [(ipv4, false), (ipv6, true)] : [(ipv6, false)]
        return spellings.lazy.compactMap { table, isMapped in
            let (from, to) = (Self.text(local, mapped: isMapped), Self.text(remote, mapped: isMapped))
            return Self.sockets(table) { row in
                row[1] == from && row[2] == to && (row[3] == "01" || row[3] == "03" && row[Self.inodeField] == "0")
            }.first
        }.first
    }

    func listeners(port: UInt16) -> [TCPSocket] {
        let ending = ":" + Self.hex(port, 4)
        return [ipv4, ipv6].flatMap { Self.sockets($0) { $0[1].hasSuffix(ending) && $0[3] == "0A" } }
    }

    private static func sockets(_ table: String, where isMeant: ([Substring]) -> Bool) -> [TCPSocket] {
        table.utf8.split(separator: UInt8(ascii: "\n")).dropFirst().compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 11).map(Substring.init)
            guard fields.count > inodeField, isMeant(fields), let uid = UInt32(fields[uidField]),
                let inode = UInt32(fields[inodeField])
            else { return nil }
            return TCPSocket(uid: uid, inode: inode)
        }
    }

    private static let uidField = 7
    private static let inodeField = 9

    /// Returns an endpoint as the files show it: hexadecimal, with the address as 32-bit words in native byte order.
    private static func text(_ end: TCPOwner.End, mapped: Bool) -> String {
        let bytes = mapped ? [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + end.bytes : end.bytes
        let words = stride(from: 0, to: bytes.count, by: 4).map { start in
            bytes[start..<(start + 4)].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        }
        return words.map { hex($0, 8) }.joined() + ":" + hex(end.port, 4)
    }

    private static func hex(_ value: some FixedWidthInteger, _ digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
