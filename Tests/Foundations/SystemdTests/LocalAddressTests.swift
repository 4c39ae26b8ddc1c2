import Systemd
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LocalAddressTests {
    @Test(
        "an address is missing only if no socket of this machine can have it",
        arguments: [
            ("127.0.0.1", false), ("127.0.0.2", false), ("0.0.0.0", false), ("::1", false), ("::", false),
            ("192.0.2.1", true), ("2001:db8::1", true), ("localhost", false), ("", false),
        ]
    )
    func isMissing(_ host: String, _ isMissing: Bool) {
        #expect(LocalAddress.isMissing(host) == isMissing)
    }
}
