import BrokerAPI
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LineFramerTests {
    @Test("the lines do not depend on how the stream is split", arguments: 1...7) func cuts(size: Int) {
        let stream = Array("one\n\ntwo, longer\nthree\n".utf8)
        var framer = LineFramer(limit: 16)
        var lines: [String] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            framer.append(ByteBuffer(bytes: stream[start..<min(start + size, stream.count)]))
            while case .line(let line) = framer.next() { lines.append(String(buffer: line)) }
        }
        #expect(lines == ["one", "", "two, longer", "three"])
        #expect(!framer.isWithinLine)
    }

    @Test("the end of the stream ends a line that has begun, and adds none", arguments: ["a\nb", "a\nb\n"])
    func end(_ stream: String) {
        var framer = LineFramer()
        framer.append(ByteBuffer(string: stream))
        framer.finish()
        #expect(framer.next() == .line(ByteBuffer(string: "a")))
        framer.finish()
        #expect(framer.next() == .line(ByteBuffer(string: "b")))
        framer.finish()
        #expect(framer.next() == nil)
    }

    @Test("a line of exactly the limit is accepted, one byte more is too long") func limit() {
        var framer = LineFramer(limit: 4)
        framer.append(ByteBuffer(string: "abcd\nabcde\n"))
        #expect(framer.next() == .line(ByteBuffer(string: "abcd")))
        #expect(framer.next() == .tooLong)
    }

    @Test("a line is too long before its end has arrived, and nothing follows it") func unended() {
        var framer = LineFramer(limit: 4)
        framer.append(ByteBuffer(string: "abcd"))
        #expect(framer.next() == nil)
        #expect(framer.isWithinLine)
        framer.append(ByteBuffer(string: "e"))
        #expect(framer.next() == .tooLong)
        framer.append(ByteBuffer(string: "\nx\n"))
        #expect(framer.next() == nil)
    }
}
