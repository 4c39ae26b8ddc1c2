import FlowModel
import Origins
import Testing

@testable import AuthorityWeb

@Suite(.timeLimit(.minutes(1)))
struct OriginTests {
    @Test(
        "an IPv6 address counts as its network, and an IPv4 address as itself",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:0:1::7", "32.1.13.184.0.0.0.1/64"), ("2001:db8:0:1:ffff::9", "32.1.13.184.0.0.0.1/64"),
        ]
    )
    func place(_ text: String, _ place: String) {
        #expect(NetworkAddress(text)?.place == place)
    }

    @Test(
        "a network contains its addresses and no others",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3", "10.1.2.4", false), ("10.1.2.0/23", "10.1.3.9", true), ("10.1.2.0/23", "10.1.4.9", false),
            ("fd00::/8", "fd12::1", true), ("fd00::/8", "fe12::1", false), ("0.0.0.0/0", "fd12::1", false),
        ]
    )
    func range(_ network: String, _ address: String, _ isInside: Bool) throws {
        let address = try #require(NetworkAddress(address))
        #expect(NetworkRange(network)?.contains(address) == isInside)
    }

    @Test(
        "a text that is not a network is rejected",
        arguments: ["", "10.0.0.0/", "/10.0.0.0", "/", "10.0.0.0/+8", "10.0.0.0/33", "10.0.0.0/8/1", "fd00::/129"]
    )
    func noRange(_ text: String) {
        #expect(NetworkRange(text) == nil)
    }

    @Test(
        "RFC 7239 §4: the hops of Forwarded are parsed, each with or without an address",
        arguments: [
            (["for=192.0.2.43"], ["192.0.2.43"]), (["for=192.0.2.43:47011;proto=https"], ["192.0.2.43"]),
            (["For=\"[2001:db8::1]:4711\", for=192.0.2.1"], ["2001:db8::1", "192.0.2.1"]),
            (["for=unknown, for=_hidden", "for=192.0.2.1"], [nil, nil, "192.0.2.1"]), (["proto=https"], [nil]),
            (["for=192.0.2.999"], [nil]), (["for=localhost"], [nil]), ([""], []),
        ] as [([String], [String?])]
    )
    func forwarded(_ fields: [String], _ hops: [String?]) {
        #expect(ForwardedHeader.forwarded.hops(fields) == hops.map { $0.flatMap(NetworkAddress.init) })
    }

    @Test(
        "the hops of X-Forwarded-For are parsed, each with or without an address",
        arguments: [
            (["192.0.2.43"], ["192.0.2.43"]), (["2001:db8::1 , 192.0.2.1:80"], ["2001:db8::1", "192.0.2.1"]),
            (["unknown,[2001:db8::1]", "192.0.2.1"], [nil, "2001:db8::1", "192.0.2.1"]),
            (["192.0.2.999"], [nil]), (["localhost"], [nil]), (["for=192.0.2.1"], [nil]), ([""], []),
        ] as [([String], [String?])]
    )
    func older(_ fields: [String], _ hops: [String?]) {
        #expect(ForwardedHeader.xForwardedFor.hops(fields) == hops.map { $0.flatMap(NetworkAddress.init) })
    }
}
