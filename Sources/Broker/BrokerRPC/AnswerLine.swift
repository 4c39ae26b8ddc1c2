import BrokerAPI
import FlowModel
import OAuth

/// The line that answers a line: one response, or an array of them.
///
/// It has at most 1 MiB, and fits into the room left in the peer's memory. A response that does not fit is replaced by
/// error 1013 with the same id, so that every call of a batch has its answer.
struct AnswerLine {
    /// Bytes of a batch's line reserved for errors in place of responses that do not fit: the ids, of which one escaped
    /// byte may become three, and the rest of each error.
    static let reserve = 3 * LineFramer.requestLimit + JSONRPCInput.batchLimit * 512

    private let memory: AnswerMemory
    private let isBatch: Bool
    private var bytes: [UInt8] = []
    /// Bytes that are already counted in the memory.
    private var counted = 0

    /// A line for one response, or for those of a batch.
    init(batch isBatch: Bool, memory: AnswerMemory) {
        self.isBatch = isBatch
        self.memory = memory
    }

    /// Adds a response, or the error that replaces it if it does not fit.
    mutating func append(_ response: JSONRPCResponse) {
        if isBatch { bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ",")) }
        let encoded = response.bytes
        let room = LineFramer.responseLimit - (isBatch ? Self.reserve + bytes.count : 0)
        if encoded.count > room {
            replace(response, "the answer would be longer than 1 MiB; ask for less at once", "responseBytes")
        } else if !memory.reserve(encoded.count) {
            replace(response, "too many answers wait to be read; read them and ask again", "unreadBytes")
        } else {
            counted += encoded.count
            bytes.append(contentsOf: encoded)
        }
    }

    /// The whole line with its end, with every byte counted in the memory; nil if there is no answer.
    consuming func finished() -> [UInt8]? {
        guard !bytes.isEmpty else { return nil }
        bytes.append(contentsOf: (isBatch ? "]\n" : "\n").utf8)
        memory.add(bytes.count - counted)
        return bytes
    }

    private mutating func replace(_ response: JSONRPCResponse, _ sentence: String, _ limit: String) {
        let refusal = Refusal(.limitExceeded, sentence).with(.limit, limit)
        let error = JSONRPCError(refusal, correlationID: .random())
        JSONRPCResponse(id: response.id, outcome: .failure(error)).append(to: &bytes)
    }
}
