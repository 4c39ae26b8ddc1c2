import FlowModel
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OwnerTests {
    @Test(
        "an owner is parsed from its key, and from no other text",
        arguments: [
            (.local(machine: "m1", uid: 1000), "local:m1:1000"), (.local(machine: "", uid: 0), "local::0"),
            (.local(machine: "a:b", uid: 4_294_967_295), "local:a:b:4294967295"),
            (.browser(session: "s1"), "browser:s1"), (.browser(session: "local:m1:1000"), "browser:local:m1:1000"),
        ] as [(Owner, String)]
    )
    func key(_ owner: Owner, _ key: String) {
        #expect(owner.key == key)
        #expect(Owner(key: key) == owner)
    }

    @Test(
        "a text that is not an owner's key returns nil",
        arguments: [
            "", "local", "local:m1", "local:m1:", "local:m1:-1", "local:m1:+1", "local:m1:01", "local:m1:4294967296",
            "local:m1:1000 ", "Local:m1:1000", "kiosk:m1:1000", ":m1:1000", "m1:1000", "browser",
        ]
    )
    func unknown(_ key: String) {
        #expect(Owner(key: key) == nil)
    }

    @Test("local owners and browsers are of different kinds") func kinds() {
        let (local, other) = (Owner.local(machine: "m1", uid: 1), Owner.local(machine: "m2", uid: 2))
        let (browser, another) = (Owner.browser(session: "a"), Owner.browser(session: "b"))
        #expect(local.isOfSameKind(as: other) && browser.isOfSameKind(as: another))
        #expect(!local.isOfSameKind(as: browser) && !browser.isOfSameKind(as: local))
    }

    @Test("an owner is encoded as its key") func coding() throws {
        let owner = Owner.local(machine: "m1", uid: 1000)
        let written = try JSONEncoder().encode([owner])
        #expect(String(decoding: written, as: UTF8.self) == #"["local:m1:1000"]"#)
        #expect(try JSONDecoder().decode([Owner].self, from: written) == [owner])
        for (other, sentence) in [#"["kiosk:1"]"#: "unknown kind of owner", #"[{"machine":"m1","uid":1}]"#: nil] {
            let error = #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([Owner].self, from: Data(other.utf8))
            }
            #expect(error?.corruption == sentence)
        }
    }
}
