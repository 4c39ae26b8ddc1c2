import Foundation
import Glibc
import TestSupport
import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(1)))
struct TCPOwnerTests {
    private static let client = TCPOwner.End(bytes: [127, 0, 0, 1], port: 0xD2F0)
    private static let server = TCPOwner.End(bytes: [127, 0, 0, 1], port: 8420)

    private func table(_ state: String, uid: String = "1000", inode: String = "41") -> String {
        """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:20E4 0100007F:D2F0 01 00000000:00000000 00:00000000 00000000     7        0 40 1 0
           1: 0100007F:D2F0 0100007F:20E4 \(state) 00000000:00000000 00:00000000 00000000  \(uid)        0 \(inode) 1 0
        """
    }

    @Test("the uid is that of the client's end", .enabled(if: Int(littleEndian: 1) == 1)) func found() {
        let files = SocketFiles(ipv4: table("01"), ipv6: "")
        #expect(files.connection(from: Self.client, to: Self.server) == TCPSocket(uid: 1000, inode: 41))
    }

    @Test(
        "a connection that is not established, has no socket or has other ends returns no uid",
        arguments: [("06", "41", 8420), ("01", "0", 8420), ("01", "41", 8421)] as [(String, String, UInt16)]
    )
    func none(_ state: String, _ inode: String, _ port: UInt16) {
        let server = TCPOwner.End(bytes: [127, 0, 0, 1], port: port)
        let files = SocketFiles(ipv4: table(state, inode: inode), ipv6: "")
        #expect(files.connection(from: Self.client, to: server)?.owner == nil)
    }

    @Test("the listening sockets of a port are found at every address", .enabled(if: Int(littleEndian: 1) == 1))
    func listeners() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:20E4 00000000:0000 0A 00000000:00000000 00:00000000 00000000     7        0 40 1 0
               1: 00000000:20E4 00000000:0000 0A 00000000:00000000 00:00000000 00000000     8        0 41 1 0
               2: 0100007F:20E5 00000000:0000 0A 00000000:00000000 00:00000000 00000000     9        0 42 1 0
               3: 0100007F:20E4 0100007F:D2F0 01 00000000:00000000 00:00000000 00000000    10        0 43 1 0
               5: 0200007F:20E4 00000000:0000 0A 00000000:00000000 00:00000000 00000000    12        0 45 1 0
            """
        let ipv6 = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 00000000000000000000000001000000:20E4 00000000000000000000000000000000:0000 0A 0:0 00:0 0 11 0 44 1 0
               1: 0000000000000000FFFF00000100007F:20E4 00000000000000000000000000000000:0000 0A 0:0 00:0 0 13 0 46 1 0
            """
        let files = SocketFiles(ipv4: table, ipv6: ipv6)
        #expect(files.listeners(port: 8420).map(\.owner) == [7, 8, 12, 11, 13])
        #expect(files.listeners(port: 8422).isEmpty)
    }

    @Test("a peer on another machine is remote, and a local peer that is not found is unknown") func elsewhere() {
        let far = TCPOwner.End(bytes: [192, 0, 2, 1], port: 0xD2F0)
        #expect(TCPOwner.uid(client: far, server: Self.server) == nil)
        let server = TCPOwner.End(bytes: [192, 0, 2, 9], port: 8420)
        #expect(TCPOwner.peer(client: far, server: server) == .remote)
        #expect(TCPOwner.peer(client: server, server: server) == .unknown)
        #expect(TCPOwner.peer(client: Self.client, server: Self.client) == .unknown)
    }

    @Test("a peer at another address of this machine is unknown, not remote") func another() {
        let client = TCPOwner.End(bytes: [192, 0, 2, 6], port: 0xD2F0)
        let server = TCPOwner.End(bytes: [192, 0, 2, 5], port: 8420)
        for (own, peer) in [([client.bytes, server.bytes], .unknown), ([server.bytes], .remote)]
            as [(Set<[UInt8]>, TCPOwner.Peer)]
        {
            OwnAddresses.$inPlace.withValue(own) {
                #expect(TCPOwner.peer(client: client, server: server) == peer)
            }
        }
        // A server at another address of this machine is trusted only if its user is trusted.
        OwnAddresses.$inPlace.withValue([client.bytes, server.bytes]) {
            #expect(TCPOwner.stranger(client: client, server: TCPOwner.End(bytes: server.bytes, port: 1)) == .unknown)
        }
        OwnAddresses.$inPlace.withValue([client.bytes]) {
            #expect(TCPOwner.stranger(client: client, server: server) == nil)
        }
        #expect(OwnAddresses.current().contains([127, 0, 0, 1]) && OwnAddresses.contains([127, 0, 0, 1]))
        #expect(!OwnAddresses.contains(client.bytes))
    }

    @Test(
        "the kernel reports the uid of a connection within this process",
        arguments: [(.ipv4, 4), (.ipv6, 16), (.mapped, 4)] as [(LoopbackConnection.Family, Int)],
        SocketTable.allCases
    )
    func live(_ connection: (family: LoopbackConnection.Family, length: Int), _ table: SocketTable) throws {
        let (family, length) = connection
        try SocketTable.$inUse.withValue([table]) { try check(family, length) }
    }

    private func check(_ family: LoopbackConnection.Family, _ length: Int) throws {
        let connection = try LoopbackConnection(family)
        try withExtendedLifetime(connection) {
            let client = try #require(TCPOwner.End(connection.client))
            let server = try #require(TCPOwner.End(connection.server))
            #expect(client.bytes.count == length && client.isLoopback)
            #expect(TCPOwner.uid(client: client, server: server) == getuid())
            // No row of the kernel's table has these endpoints.
            #expect(TCPOwner.uid(client: server, server: server) == nil)
        }
    }
}
