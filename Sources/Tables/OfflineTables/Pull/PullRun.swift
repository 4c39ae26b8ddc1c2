import Crypto
import Foundation
import Moments
import Tables
import TablesClient

struct PullRun: Sendable {
    let context: SyncContext
    let table: RemoteTable
    let declaration: TableDeclaration
    let query: Query
    let queryID: String?
    let settings: SyncTable.PullSettings
    var pageSize: Int

    /// The first incremental pull requests all changes since this time, in milliseconds since 1970 UTC.
    static let beginning: Int64 = 0
    /// The time by which a server's clock may be ahead of this machine's clock, in milliseconds.
    private static let tolerance: Int64 = 300_000

    func run() async throws -> PullReport {
        do {
            var report = try await pages()
            try await fetchSkipped(&report)
            return report
        } catch {
            guard error is CancellationError || Task.isCancelled else { throw error }
            throw SyncError(.pullCancelled, .pullCancelled, underlying: error)
        }
    }

    private func pages() async throws -> PullReport {
        do {
            return try await pull(isFull: settings.isFull)
        } catch let error as TablesError where error.code == .tooLarge && pageSize > 1 {
            var smaller = self
            smaller.pageSize = pageSize / 2
            return try await smaller.pages()
        } catch let error as TablesError where error.code == .gone && queryID != nil {
            // The server no longer has records of all deletions since the last pull, so a full pull is necessary.
            return try await pull(isFull: true)
        }
    }

    private func pull(isFull: Bool) async throws -> PullReport {
        var report = PullReport()
        var seen: Set<RowID>? = isFull ? [] : nil
        if let queryID {
            try await incremental(queryID, isFull: isFull, &report, &seen)
        } else {
            try await vanilla(&report, &seen)
        }
        if let seen, covers { report.dropped = try await drop(seen) }
        return report
    }

    /// Whether a full pull fetches all matching rows, so that other matching local rows can be removed.
    private var covers: Bool { query.top == nil && query.skip == nil && query.parameters.isEmpty }

    // MARK: Incremental

    private func incremental(
        _ queryID: String,
        isFull: Bool,
        _ report: inout PullReport,
        _ seen: inout Set<RowID>?
    ) async throws {
        let (start, startedOver) = try await begin(queryID, isFull: isFull)
        report.startedOver = startedOver
        var token = start
        var place = PagePlace()
        while true {
            let since = token
            let page = try await page(since: since, place)
            let newest = page.rows.compactMap(\.updatedAt).max()
            let isNewer = newest.map { $0 > token } ?? false
            if let newest, isNewer {
                token = newest
                place = PagePlace()
            } else {
                // No row on this page is newer than `since`, so the next page starts after the last received id.
                place.advance(over: page.rows) { $0.updatedAt == since }
            }
            try await keep(page.rows, since: since, token: isNewer ? token : nil, &report, &seen)
            let isLast = page.rows.isEmpty || page.rows.count < pageSize && !isNewer && page.next == nil
            if isLast { return }
        }
    }

    /// Returns the time from which to request changes, and whether the query id belonged to a different query.
    private func begin(_ queryID: String, isFull: Bool) async throws -> (Int64, Bool) {
        let text = [query.filter?.text ?? ""] + query.parameters.map { "\($0.name)=\($0.value)" }
        let digest = SHA256.hash(data: Data(text.joined(separator: "\u{1F}").utf8))
        let hex = digest.map { String(format: "%02x", $0) }.joined()
        return try await context.store.write { [name = declaration.name] store in
            let before = try store.setting(.query, queryID, of: name)
            let isOther = before != nil && before != hex
            if before != hex { try store.set(.query, queryID, of: name, to: hex) }
            let token = try store.setting(.deltaToken, queryID, of: name).flatMap(TableDate.milliseconds)
            guard isOther || isFull, token != nil else { return (token ?? Self.beginning, isOther) }
            try store.set(.deltaToken, queryID, of: name, to: TableDate.text(Self.beginning))
            return (Self.beginning, isOther)
        }
    }

    private func page(since token: Int64, _ place: PagePlace) async throws -> TablePage<RemoteRow> {
        let time = QueryExpression.literal(.date(token))
        var condition = try Filter(.compare(.greaterOrEqual, .column("updatedAt"), time))
        if let behind = place.behind {
            let later = QueryExpression.compare(.greater, .column("updatedAt"), time)
            condition = condition.and(try Filter(.or([later, behind])))
        }
        var page = query
        page.filter = page.filter.map { $0.and(condition) } ?? condition
        page.order = [SortTerm("updatedAt"), SortTerm("id")]
        page.top = pageSize
        page.skip = place.skip
        page.includesDeleted = true
        return try await table.read(page)
    }

    // MARK: Vanilla

    private func vanilla(_ report: inout PullReport, _ seen: inout Set<RowID>?) async throws {
        guard query.top != nil || query.skip != nil else { return try await everything(&report, &seen) }
        let start = query.skip ?? 0
        var count = 0
        while true {
            var page = query
            page.skip = start + count
            page.top = min(pageSize, query.top.map { $0 - count } ?? pageSize)
            page.includesDeleted = true
            if page.top == 0 { return }
            let answer = try await table.read(page)
            count += answer.rows.count
            try await keep(answer.rows, since: nil, token: nil, &report, &seen)
            if answer.rows.isEmpty || answer.rows.count < pageSize && answer.next == nil { return }
        }
    }

    /// Pulls all rows of the query in the order of their ids, so that concurrent changes cause no gaps.
    private func everything(_ report: inout PullReport, _ seen: inout Set<RowID>?) async throws {
        var place = PagePlace()
        while true {
            var page = query
            if let behind = place.behind {
                let condition = try Filter(behind)
                page.filter = page.filter.map { $0.and(condition) } ?? condition
            }
            page.order = [SortTerm("id")]
            page.top = pageSize
            page.skip = place.skip
            page.includesDeleted = true
            let answer = try await table.read(page)
            try await keep(answer.rows, since: nil, token: nil, &report, &seen)
            place.advance(over: answer.rows) { _ in true }
            if answer.rows.isEmpty || answer.rows.count < pageSize && answer.next == nil { return }
        }
    }

    // MARK: Storing

    /// Stores a page, and `token` (if not `nil`) as the time up to which rows were received, in one transaction.
    ///
    /// A row whose time is exactly `since` is stored only if it differs from the local row.
    private func keep(
        _ rows: [RemoteRow],
        since: Int64?,
        token: Int64?,
        _ report: inout PullReport,
        _ seen: inout Set<RowID>?
    ) async throws {
        seen?.formUnion(rows.map(\.id))
        try await keep(rows, since: since, token: token, &report)
    }

    private func keep(
        _ rows: [RemoteRow],
        since: Int64?,
        token: Int64?,
        _ report: inout PullReport
    ) async throws {
        try Task.checkCancellation()
        report.pages += 1
        guard report.pages <= settings.maxPages else {
            throw SyncError(.pullCancelled, .endlessPull(settings.maxPages))
        }
        guard !rows.isEmpty else { return }
        let name = declaration.name
        let latest = context.clock.now.wall + Self.tolerance
        let change = try await context.store.write { [declaration, queryID] store in
            let pending = try store.pendingIDs(in: name)
            let leftAlone = rows.filter { pending.contains($0.id.text) }
            for row in leftAlone { try store.markSkipped(row, in: name) }
            try Self.clearSkipped(rows.filter { !pending.contains($0.id.text) }, in: name, store)
            let new = try rows.filter { row in
                guard !pending.contains(row.id.text) else { return false }
                guard since != nil, row.updatedAt == since else { return true }
                let old = try store.row(row.id, in: name)
                return row.isDeleted ? old != nil : old == nil || old?.version != row.version
            }
            let deleted = new.filter(\.isDeleted)
            var removed = 0
            for row in deleted {
                if try store.row(row.id, in: name) != nil { removed += 1 }
                try store.removeRow(row.id, from: name)
            }
            for row in new where !row.isDeleted { try store.save(declaration.known(row), in: name) }
            if let queryID, let token {
                // If a time in the future were stored, later pulls would miss the changes before that time.
                let past = token <= latest ? token : rows.compactMap(\.updatedAt).filter { $0 <= latest }.max()
                if let past { try store.set(.deltaToken, queryID, of: name, to: TableDate.text(past)) }
            }
            return (kept: new.count - deleted.count, deleted: removed, leftAlone: leftAlone.map(\.id))
        }
        report.kept += change.kept
        report.deleted += change.deleted
        report.leftAlone.formUnion(change.leftAlone)
        if change.kept + change.deleted > 0 { context.watchers.changed(name) }
        context.options.progress?(.pulled(report.kept + report.deleted, table: name))
    }

    private static func clearSkipped(_ rows: [RemoteRow], in name: String, _ store: any SyncTransaction) throws {
        if rows.count == 1 { return try store.removeSetting(.skipped, rows[0].id.text, of: name) }
        let skipped = try store.settings(.skipped, of: name)
        for row in rows where skipped[row.id.text] != nil { try store.removeSetting(.skipped, row.id.text, of: name) }
    }

    /// Fetches skipped rows that no longer have a pending edit, and rows whose deletion the server has not confirmed.
    private func fetchSkipped(_ report: inout PullReport) async throws {
        let name = declaration.name
        let marks = try await context.store.read { store in
            let pending = try store.pendingIDs(in: name)
            let marks = try store.settings(.skipped, of: name).filter { !pending.contains($0.key) }
            return marks.sorted { $0.key < $1.key }
        }
        for (text, mark) in marks {
            guard let id = RowID(text) else { continue }
            try Task.checkCancellation()
            let row: RemoteRow
            do {
                row = try await table.lookup(id.text)
            } catch let error as TablesError where error.code == .notFound || error.code == .gone {
                row = RemoteRow(id: id, values: [:], isDeleted: true)
            } catch let error as TablesError where mark == SkippedMark.deletion && !Self.endsPull(error) {
                // The server does not return the deleted row, so later pulls must not request it.
                try await context.store.write { store in
                    guard try store.setting(.skipped, text, of: name) == mark else { return }
                    try store.removeSetting(.skipped, text, of: name)
                }
                continue
            } catch let error as TablesError where error.code == .forbidden {
                continue
            }
            try await keep([row], since: nil, token: nil, &report)
        }
    }

    /// Returns whether the error is unrelated to the requested row, and therefore ends the pull.
    private static func endsPull(_ error: TablesError) -> Bool {
        switch error.code {
        case .unreachable, .timedOut, .busy, .unauthorized, .invalidToken: true
        case .refused, .forbidden, .notFound, .conflict, .gone, .preconditionFailed, .keyReused, .serverFailed,
            .redirected, .malformedAnswer, .tooLarge, .missingID, .invalidID, .unexpectedID, .invalidItem,
            .invalidParameter, .invalidRequest:
            false
        }
    }

    /// Removes matching local rows that the full pull did not receive, except rows with a pending edit.
    private func drop(_ seen: Set<RowID>) async throws -> Int {
        let (name, declaration) = (declaration.name, declaration)
        var condition = Query()
        condition.filter = query.filter
        let selection = condition
        return try await context.change(name) { store in
            let pending = try store.pendingIDs(in: name)
            let known = KnownColumns(declaration)
            let rows = try store.rows(in: name) { known.row($0) }
            let found: [RemoteRow]
            do {
                found = try RowSelection(declaration: declaration).rows(selection, of: rows).rows
            } catch is QueryProblem {
                // The condition refers to columns that are not stored locally, so the rows to remove are unknown.
                return 0
            }
            let gone = found.filter { !seen.contains($0.id) && !pending.contains($0.id.text) }
            for row in gone { try store.removeRow(row.id, from: name) }
            return gone.count
        }
    }
}
