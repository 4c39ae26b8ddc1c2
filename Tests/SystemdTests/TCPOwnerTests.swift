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
        #expect(TCPOwner.uid(client: Self.client, server: Self.server, table: table("01")) == 1000)
    }

    @Test(
        "a connection that is not established, has no socket, or is another one tells nothing",
        arguments: [("06", "41", 8420), ("01", "0", 8420), ("01", "41", 8421)] as [(String, String, UInt16)]
    )
    func none(_ state: String, _ inode: String, _ port: UInt16) {
        let server = TCPOwner.End(bytes: [127, 0, 0, 1], port: port)
        let table = table(state, inode: inode)
        #expect(TCPOwner.uid(client: Self.client, server: server, table: table) == nil)
    }

    @Test("who listens at a port is named, at loopback and at every address", .enabled(if: Int(littleEndian: 1) == 1))
    func listeners() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:20E4 00000000:0000 0A 00000000:00000000 00:00000000 00000000     7        0 40 1 0
               1: 00000000:20E4 00000000:0000 0A 00000000:00000000 00:00000000 00000000     8        0 41 1 0
               2: 0100007F:20E5 00000000:0000 0A 00000000:00000000 00:00000000 00000000     9        0 42 1 0
               3: 0100007F:20E4 0100007F:D2F0 01 00000000:00000000 00:00000000 00000000    10        0 43 1 0
               4: 00000000000000000000000001000000:20E4 00000000000000000000000000000000:0000 0A 0:0 00:0 0 11 0 44 1 0
            """
        #expect(TCPOwner.listeners(port: 8420, table: table) == [7, 8, 11])
        #expect(TCPOwner.listeners(port: 8422, table: table).isEmpty)
    }

    @Test("an address of another machine is not looked up") func elsewhere() {
        let far = TCPOwner.End(bytes: [192, 0, 2, 1], port: 0xD2F0)
        #expect(TCPOwner.uid(client: far, server: Self.server) == nil)
    }

    @Test(
        "the kernel tells the uid of a connection to ourselves",
        arguments: [(.ipv4, 4), (.ipv6, 16)] as [(LoopbackConnection.Family, Int)]
    )
    func live(_ family: LoopbackConnection.Family, _ length: Int) throws {
        let connection = try LoopbackConnection(family)
        try withExtendedLifetime(connection) {
            let client = try #require(TCPOwner.End(connection.client))
            let server = try #require(TCPOwner.End(connection.server))
            #expect(client.bytes.count == length && client.isLoopback)
            #expect(TCPOwner.uid(client: client, server: server) == getuid())
            // No row has these ends.
            #expect(TCPOwner.uid(client: server, server: server) == nil)
        }
    }
}
