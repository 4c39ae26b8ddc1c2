import FlowModel
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OriginTests {
    @Test(
        "an address is written in the usual notation, and other origins have none",
        arguments: [
            (.address("192.0.2.7"), "192.0.2.7"), (.address("32.1.13.184.0.0.0.1/64"), "2001:db8:0:1::/64"),
            (.address("254.128.0.0.0.0.0.0/64"), "fe80:0:0:0::/64"), (.address("browser s1"), nil),
            (.address("192.0.2"), nil), (.address("192.0.2.256"), nil), (.address("32.1.13.184/64"), nil),
            (.address(""), nil), (.local(machine: "m1", uid: 1000), nil), (.unknownLocal(machine: "m1"), nil),
        ] as [(Origin, String?)]
    )
    func addressText(_ origin: Origin, _ text: String?) {
        #expect(origin.addressText == text)
    }
}
