import Foundation
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct JSONValueTests {
    private static let sample: JSONValue = [
        "b": [1, -2, 1.5, true, nil], "a": "q\"\\/\n\r\t\u{1}é😀", "z": ["y": [:], "x": []], "big": .int(.max),
    ]

    @Test("members are printed in sorted order, slashes unescaped and controls escaped") func text() {
        let text = #"{"a":"q\"\\/\n\r\t\u0001é😀","b":[1,-2,1.5,true,null],"big":9223372036854775807,"#
        #expect(Self.sample.text == text + #""z":{"x":[],"y":{}}}"#)
        #expect("\(Self.sample)" == Self.sample.text)
    }

    @Test("a printed value parses to the same value") func roundTrip() throws {
        #expect(try StrictJSON.parse(Self.sample.bytes) == Self.sample)
        for number in [0.1, 1e300, -2.5e-300, 100.0, 1.7976931348623157e308] {
            #expect(try StrictJSON.parse(JSONValue.double(number).bytes) == .double(number))
        }
    }

    @Test("Codable reads and writes the same value") func codable() throws {
        let data = try JSONEncoder().encode(Self.sample)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == Self.sample)
        #expect(try StrictJSON.parse(data) == Self.sample)
    }

    @Test("members are printed in the given order") func order() {
        var bytes: [UInt8] = []
        JSONValue.append(members: [("z", 1), ("a", "x")], to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"z":1,"a":"x"}"#)
    }

    @Test("a number that is not finite is written as null") func notFinite() {
        #expect(JSONValue.array([.double(.infinity), .double(.nan)]).text == "[null,null]")
    }

    @Test("each accessor returns a value only for its own case") func accessors() {
        #expect(JSONValue.string("a").string == "a")
        #expect(JSONValue.int(1).string == nil)
        #expect(JSONValue.int(1).int == 1)
        #expect(JSONValue.double(1).int == nil)
        #expect(JSONValue.int(1).double == 1)
        #expect(JSONValue.bool(true).bool == true)
        #expect(JSONValue.int(1).bool == nil)
        #expect(JSONValue.null.isNull)
        #expect(Self.sample["z"]?["x"] == [])
        #expect(Self.sample["none"] == nil)
        #expect(JSONValue.array(["a", "b"]).strings == ["a", "b"])
        #expect(JSONValue.array(["a", 1]).strings == nil)
    }
}
