import Synchronization
import TestSupport
import Testing

@testable import Mail

/// Tests whether a mail server takes an address, with an independent mail server and with scripted answers.
@Suite(.timeLimit(.minutes(2)))
struct AddressSupportTests {
    private let clock = TestClock()

    private func support(_ server: TestMailServer) -> AddressSupport {
        let place = MailServer(host: "localhost", port: server.port, requiresTLS: false, username: nil)
        let port = Set([UInt16(server.port)])
        let client = SMTPClient(server: place, certificates: nil, trustedLoopback: port) { nil }
        return AddressSupport(client, clock: clock.clock)
    }

    @Test("a server that offers SMTPUTF8 takes every address, and another server only those in ASCII")
    func servers() async throws {
        let (modern, old) = (try TestMailServer(), try TestMailServer(["--ascii"]))
        defer { withExtendedLifetime((modern, old)) {} }
        #expect(await support(modern).takes("jö@example.org"))
        let ascii = support(old)
        #expect(await !ascii.takes("jö@example.org"))
        #expect(await ascii.takes("jo@bücher.de"))
    }

    @Test("an answer is reused for ten minutes, and a failure for one minute, in which every address is taken")
    func reused() async throws {
        let answers = Mutex<[Bool?]>([nil, false, true])
        let support = AddressSupport(clock: clock.clock) { () throws(MailError) in
            guard let answer = answers.withLock({ $0.removeFirst() }) else { throw MailError.unreachable("down") }
            return answer
        }
        #expect(await support.takes("jo@example.org"), "the server is not asked about this one")
        #expect(await support.takes("jö@example.org"))
        clock.advance(by: .seconds(59))
        #expect(await support.takes("jö@example.org"))
        clock.advance(by: .seconds(1))
        #expect(await !support.takes("jö@example.org"))
        clock.advance(by: .seconds(599))
        #expect(await !support.takes("jö@example.org"))
        clock.advance(by: .seconds(1))
        #expect(await support.takes("jö@example.org"))
        #expect(answers.withLock { $0.isEmpty })
    }
}
