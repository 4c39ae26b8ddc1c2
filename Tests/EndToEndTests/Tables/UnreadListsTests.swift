import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests `tasksd` with a user that requests a list of 8 MiB on 20 connections and reads no response.
@Suite(.timeLimit(.minutes(10)))
struct UnreadListsTests {
    private static let users = 1
    /// The number of connections of each user.
    ///
    /// The lists on eight connections use up the 64 MiB of unread responses that one user may have.
    private static let connections = 20
    private static let mebibyte = 1024 * 1024

    @Test(
        "unread lists that use up one user's budget stay far below MemoryHigh of the unit; others are served"
    )
    func unread() async throws {
        var files = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        files.rlim_cur = min(files.rlim_max, 16_384)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        let machine = try Machine()
        try machine.write(
            try String(contentsOfFile: machine.folder.path("etc/tasksd.yaml"), encoding: .utf8)
                .replacing("level: debug", with: "level: info").split(separator: "\n").map(String.init)
                + ["tables: {big: {columns: {text: {type: string}}}}"],
            to: "etc/tasksd.yaml"
        )
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        let connection = try machine.connect()
        let row: JSONValue = ["text": .string(String(repeating: "x", count: 999_000))]
        var tokens: [String] = []
        for _ in 0...Self.users {
            let person = Person.random()
            try person.signUp(connection, on: machine)
            let token = try #require(try person.token(connection)["accessToken"]?.string)
            _ = try connection.call("session.signOut", ["all": true])
            tokens.append(token)
        }
        let other = tokens.removeLast()
        for token in tokens {
            for _ in 0..<9 {
                #expect(try await WebAnswer.to(.POST, "\(machine.api)/tables/big", row, token: token).status == 201)
            }
        }
        let token = tokens[0]
        let list = try await WebAnswer.to(.GET, "\(machine.api)/tables/big", token: token)
        #expect(list.text.utf8.count > 7 * Self.mebibyte && list.text.utf8.count <= 8 * Self.mebibyte)
        let before = try Self.memory(of: api)

        var deaf: [RawClient] = []
        // One user after another sends requests, since a debug build takes a few tenths of a second for each list.
        for token in tokens {
            for _ in 0..<Self.connections {
                let client = try RawClient(port: machine.tasksPort)
                client.send(
                    "GET /tables/big HTTP/1.1\r\nHost: localhost:\(machine.tasksPort)\r\n"
                        + "Authorization: Bearer \(token)\r\n\r\n"
                )
                deaf.append(client)
            }
            #expect(try await WebAnswer.to(.GET, "\(machine.api)/tables/big?$top=0", token: other).status == 200)
        }
        try await waitUntil("the user's budget is used up", within: .seconds(180)) {
            let measured = try await measurements(machine)
            return measured["http_answers_unsent_bytes", default: 0] > Double(48 * Self.mebibyte)
                && measured["http_answers_limited_total{outcome=\"refused\"}", default: 0] >= 1
        }
        // Another user is still served, and the first user still gets short responses.
        let task: JSONValue = ["text": "buy milk"]
        #expect(try await WebAnswer.to(.POST, "\(machine.api)/tables/big", task, token: other).status == 201)
        #expect(try await WebAnswer.to(.GET, "\(machine.api)/tables/big", token: other).status == 200)
        #expect(try await WebAnswer.to(.GET, "\(machine.api)/tables/big?$top=0", token: token).status == 200)
        let unsent = try await measurements(machine)["http_answers_unsent_bytes"] ?? 0
        #expect(unsent <= Double(64 * Self.mebibyte))
        let peak = try Self.memory(of: api)
        let limit = try Self.memoryHigh()
        print(
            "tasksd: \(before / Self.mebibyte) MiB before, \(peak / Self.mebibyte) MiB at most, MemoryHigh is "
                + "\(limit / Self.mebibyte) MiB"
        )
        #expect(peak < limit / 2)
        #expect(api.errors().contains("too many unread response bytes"))

        for client in deaf { client.leave() }
        try await waitUntil("the memory is released") {
            try await measurements(machine)["http_answers_unsent_bytes"] == 0
        }
        #expect(try await WebAnswer.to(.GET, "\(machine.api)/tables/big", token: token).status == 200)
        for program in [api, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    private func measurements(_ machine: Machine) async throws -> [String: Double] {
        let page = try await WebAnswer.to(.GET, "\(machine.api)/metrics", token: nil).text
        let values = page.split(separator: "\n").compactMap { line -> (String, Double)? in
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                return nil
            }
            return (String(line[..<space]), value)
        }
        return Dictionary(values) { $1 }
    }

    /// Returns the peak memory of a program, in bytes.
    private static func memory(of program: RunningProgram) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(program.pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 1024
    }

    /// Returns `MemoryHigh` of the systemd unit `tasksd.service`, in bytes.
    private static func memoryHigh() throws -> Int {
        let unit = try String(contentsOfFile: ProjectFolder.path + "/systemd/system/tasksd.service", encoding: .utf8)
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("MemoryHigh=") })
        let number = try #require(Int(line.dropFirst("MemoryHigh=".count).dropLast()))
        return number * (line.hasSuffix("G") ? 1024 : 1) * mebibyte
    }
}
