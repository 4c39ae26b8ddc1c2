import Glibc

/// The user of a TCP connection within this machine, as the kernel's table of sockets tells.
public enum TCPOwner {
    /// One end of a connection: the address as 4 or 16 bytes in network order, and the port.
    public struct End: Hashable, Sendable {
        /// The address: 4 or 16 bytes in network order.
        public let bytes: [UInt8]
        let port: UInt16

        /// An end of a connection.
        public init(bytes: [UInt8], port: UInt16) {
            self.bytes = bytes
            self.port = port
        }

        /// The end that a socket's address names (ip(7), ipv6(7)); nil for one that is not of TCP.
        public init?(_ address: UnsafeRawPointer) {
            let bytes: Range<Int>
            switch Int32(address.load(as: sa_family_t.self)) {
            case AF_INET: bytes = 4..<8
            case AF_INET6: bytes = 8..<24
            default: return nil
            }
            port = UInt16(bigEndian: address.load(fromByteOffset: 2, as: UInt16.self))
            self.bytes = bytes.map { address.load(fromByteOffset: $0, as: UInt8.self) }
        }

        /// True for an address that only this machine can have.
        public var isLoopback: Bool {
            bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
        }

        /// The network that one peer may have whole: an IPv4 address, or the first 64 bits of an IPv6 address, in
        /// hexadecimal.
        public var network: String {
            bytes.prefix(bytes.count == 4 ? 4 : 8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    /// Returns the uid of the program at the client's end of a connection; nil if the table does not tell.
    ///
    /// Only an established connection with a socket counts: rows of closed ones have no inode, and the uid 0 whoever
    /// had them.
    ///
    /// - Parameters:
    ///   - client: The client's end.
    ///   - server: Our end.
    /// - Returns: The uid.
    public static func uid(client: End, server: End) -> UInt32? {
        guard client.isLoopback, server.isLoopback, client.bytes.count == server.bytes.count else { return nil }
        // `/proc/net` is hidden where a unit sees processes only (`ProcSubset=pid`); a process's own table is the same.
        let path = client.bytes.count == 4 ? "/proc/self/net/tcp" : "/proc/self/net/tcp6"
        guard let table = KernelFile.text(path) else { return nil }
        return uid(client: client, server: server, table: table)
    }

    /// The same from the text of `/proc/net/tcp` or `tcp6` (proc(5)).
    static func uid(client: End, server: End, table: String) -> UInt32? {
        let (local, remote) = (text(client), text(server))
        for line in table.utf8.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 11).map(Substring.init)
            guard fields.count > inodeField, fields[1] == local, fields[2] == remote, fields[3] == established,
                fields[inodeField] != "0"
            else { continue }
            return UInt32(fields[uidField])
        }
        return nil
    }

    /// Returns the uids of the programs that listen at a port of this machine, for callers from this machine.
    public static func listeners(port: UInt16) -> Set<UInt32> {
        ["/proc/self/net/tcp", "/proc/self/net/tcp6"].reduce(into: []) { uids, path in
            if let table = KernelFile.text(path) { uids.formUnion(listeners(port: port, table: table)) }
        }
    }

    /// The same from the text of one table: those at an address of loopback, or at every address.
    static func listeners(port: UInt16, table: String) -> Set<UInt32> {
        let places = [[127, 0, 0, 1], [0, 0, 0, 0]] + [1, 0].map { [UInt8](repeating: 0, count: 15) + [$0] }
        let names = Set(places.map { text(End(bytes: $0, port: port)) })
        var uids: Set<UInt32> = []
        for line in table.utf8.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 11).map(Substring.init)
            guard fields.count > inodeField, fields[3] == listening, names.contains(String(fields[1])) else { continue }
            if let uid = UInt32(fields[uidField]) { uids.insert(uid) }
        }
        return uids
    }

    private static let established = "01"
    private static let listening = "0A"
    private static let uidField = 7
    private static let inodeField = 9

    /// An end as the table spells it: 32 bits at a time in the machine's own order, then the port.
    private static func text(_ end: End) -> String {
        let words = stride(from: 0, to: end.bytes.count, by: 4).map { start in
            end.bytes[start..<(start + 4)].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        }
        func hex(_ value: some FixedWidthInteger, _ digits: Int) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: digits - text.utf8.count) + text
        }
        return words.map { hex($0, 8) }.joined() + ":" + hex(end.port, 4)
    }
}
