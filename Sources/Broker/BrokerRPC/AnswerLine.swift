import BrokerAPI
import FlowModel
import OAuth
import Synchronization

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
            replace(response, Text("refusal.answerTooLong"), "responseBytes")
        } else if !memory.reserve(encoded.count) {
            replace(response, Text("refusal.answersUnread"), "unreadBytes")
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

    private mutating func replace(_ response: JSONRPCResponse, _ text: Text, _ limit: String) {
        let refusal = Refusal(.limitExceeded, text).with(.limit, limit)
        let error = JSONRPCError(refusal, correlationID: .random())
        JSONRPCResponse(id: response.id, outcome: .failure(error)).append(to: &bytes)
    }
}

/// A counter of the bytes of answers that are written and not yet taken by their peer.
///
/// Each connection has one within that of its uid, and each uid within that of all. Calls reserve room from their tasks,
/// before an answer is stored, so that a peer that sends many requests and reads nothing uses a limited part of the memory.
final class AnswerMemory: Sendable {
    private let limit: Int
    private let guaranteed: Int
    private let whole: AnswerMemory?
    private let bytes = Atomic(0)

    /// Limits the bytes to `limit`; they also count in `whole`, which never refuses the first `guaranteed` of them.
    init(limit: Int, within whole: AnswerMemory? = nil, guaranteed: Int = 0) {
        self.limit = limit
        self.guaranteed = guaranteed
        self.whole = whole
    }

    /// Bytes counted now.
    var held: Int { bytes.load(ordering: .relaxed) }

    /// True if not even the smallest answer has room.
    var isFull: Bool { held >= limit || held >= guaranteed && whole?.isFull == true }

    /// Reserves room for an answer.
    ///
    /// - Returns: True if there was room; otherwise nothing is reserved.
    func reserve(_ count: Int) -> Bool {
        let held = bytes.add(count, ordering: .relaxed).newValue
        guard held <= limit else {
            bytes.subtract(count, ordering: .relaxed)
            return false
        }
        if held <= guaranteed {
            whole?.add(count)
            return true
        }
        guard whole?.reserve(count) ?? true else {
            bytes.subtract(count, ordering: .relaxed)
            return false
        }
        return true
    }

    /// Counts bytes that are kept in any case, such as the error for a lack of room.
    func add(_ count: Int) {
        bytes.add(count, ordering: .relaxed)
        whole?.add(count)
    }

    /// Releases the room of bytes that the peer has taken, or that are dropped.
    func release(_ count: Int) { add(-count) }
}
