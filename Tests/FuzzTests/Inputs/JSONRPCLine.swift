import BrokerAPI
import NIOCore
import OAuth

extension FuzzedInput {
    /// The bytes that a client sends to the broker, as lines that each contain a request or a batch.
    static let jsonRPCLine = FuzzedInput(name: "json-rpc-line") { bytes in
        let whole = frames(bytes, at: bytes.count)
        try require(whole == frames(bytes, at: Int(bytes.first ?? 0) % (bytes.count + 1)), "a split changes the lines")
        for frame in whole {
            guard case .line(let line) = frame else { continue }
            try checkLine(Array(line.readableBytesView))
        }
    }

    private static func frames(_ bytes: [UInt8], at split: Int) -> [LineFramer.Frame] {
        var framer = LineFramer(limit: 512)
        var frames: [LineFramer.Frame] = []
        for part in [bytes[..<split], bytes[split...]] {
            framer.append(ByteBuffer(bytes: part))
            while let frame = framer.next() { frames.append(frame) }
        }
        return frames
    }

    private static func checkLine(_ line: [UInt8]) throws {
        let input = JSONRPCInput(line)
        let outline = line.withUnsafeBytes { RequestOutline($0) }
        switch input {
        case .single(.failure): break
        case .single(.success(let request)):
            try require(JSONRPCInput(request.bytes) == input, "a request does not read back the same")
            guard let outline else { break }
            // The outline selects a cached response, so it must never match another request.
            try require(line[outline.method].elementsEqual(request.method.utf8), "the outline has another method")
            let params = try? StrictJSON.parse(line[outline.params])
            try require(params?.object == request.params, "the outline has other parameters")
            let id = try? StrictJSON.parse(line[outline.id])
            try require(id.flatMap { JSONRPCID($0) } == request.id, "the outline has another id")
        case .batch(let requests):
            try require((1...JSONRPCInput.batchLimit).contains(requests.count), "a batch of \(requests.count)")
            try require(outline == nil, "a batch has an outline")
            for case .success(let request) in requests {
                try require(JSONRPCInput(request.bytes) == .single(.success(request)), "a request of a batch changes")
            }
        }
    }
}
