import HTTPServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct HostRuleTests {
    @Test("the base allows its own name in any case and with the default port of its scheme") func base() {
        let rule = HostRule.base("http://localhost:8420")
        #expect(rule.allows("LOCALHOST:8420", onUnixSocket: false))
        #expect(!rule.allows("localhost", onUnixSocket: false))
        #expect(rule.allows("localhost", onUnixSocket: true))
        #expect(!rule.allows("evil.test", onUnixSocket: true))
        #expect(HostRule.base("https://id.test/x").allows("id.test", onUnixSocket: false))
    }

    @Test("loopback listeners accept localhost with their ports") func loopback() {
        let rule = HostRule.loopback([.tcp(host: "127.0.0.1", port: 3000), .tcp(host: "::1", port: 3000)])
        for host in ["localhost:3000", "127.0.0.1:3000", "[::1]:3000"] {
            #expect(rule.allows(host, onUnixSocket: false))
        }
        #expect(!rule.allows("localhost:3001", onUnixSocket: false))
        #expect(!rule.allows("rebound.test:3000", onUnixSocket: false))
        #expect(HostRule.any.allows("anything", onUnixSocket: false))
    }
}
