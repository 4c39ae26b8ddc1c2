import Origins

@testable import AuthorityWeb

extension FuzzedInput {
    /// The `Forwarded` or `X-Forwarded-For` header that a client sends, and to which a trusted proxy then adds its hop.
    static let forwarded = FuzzedInput(name: "forwarded") { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let hops = Forwarded.hops([text])
        try require(hops.count <= 16, "\(hops.count) hops")
        let peers: [String: [UInt8]] = [
            "192.0.2.43": [192, 0, 2, 43], "\"[2001:db8::1]:4711\"": [0x20, 0x01, 0x0D, 0xB8] + zeros + [1],
        ]
        for (written, address) in peers {
            let peer = NetworkAddress(bytes: address)
            let added = ["for=\(written)", "by=x;For=\(written);proto=https"]
            for fields in added.flatMap({ [["\(text), \($0)"], [text, $0]] }) {
                try require(Forwarded.hops(fields).last == .some(peer), "a client changes the hop of the proxy")
            }
        }
        let addresses = XForwardedFor.hops([text])
        try require(addresses.count <= 16, "\(addresses.count) addresses")
        for fields in [["\(text), 192.0.2.43"], [text, "192.0.2.43"]] {
            let peer = NetworkAddress(bytes: [192, 0, 2, 43])
            try require(XForwardedFor.hops(fields).last == .some(peer), "a client changes the address of the proxy")
        }
        if let range = NetworkRange(text), let address = NetworkAddress(String(text.prefix { $0 != "/" })) {
            try require(range.contains(address), "a network does not contain its own address")
        }
    }

    private static let zeros = [UInt8](repeating: 0, count: 11)
}
