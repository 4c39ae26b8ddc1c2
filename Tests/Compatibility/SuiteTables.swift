/// The tables of the client's end-to-end suite, and some others, in the format of `tasksd.yaml`.
enum SuiteTables {
    /// Returns the lines below `tables:` in `tasksd.yaml`.
    static func yaml(hook: String) -> String {
        let all = access("anonymous")
        return """
              roundTripTable: {perUser: false, softDelete: false, \(all), columns: {name: \(text), date1: {type: date},
                bool: {type: boolean}, integer: {type: number}, number: {type: number}}}
              intIdRoundTripTable: {id: integer, perUser: false, softDelete: false, dynamicSchema: true, \(all), columns: {}}
              movies: {perUser: false, softDelete: false, \(all), columns: {\(movies)}}
              intIdMovies: {id: integer, perUser: false, softDelete: false, \(all), columns: {\(movies)}}
              blog_posts: {perUser: false, softDelete: false, \(all), columns: {title: \(text),
                commentCount: {type: number}, showComments: {type: boolean}, data: \(text)}}
              blog_comments: {perUser: false, softDelete: false, \(all), columns: {postId: \(text), commentText: \(text),
                name: \(text), test: {type: number}}}
              paramsTestTable: {id: integer, perUser: false, softDelete: false, \(all),
                hook: {url: "unix:\(hook)", operations: [read, insert, update, delete], timeoutSec: 10},
                columns: {string1: \(text), parameters: \(text)}}
              public: {perUser: false, softDelete: false, dynamicSchema: true, \(all), columns: {}}
              authenticated: {softDelete: false, columns: {name: \(text), text: \(text),
                userId: {type: string, readOnly: true, set: oid}}}
              offlineReady: {perUser: false, \(all), columns: {name: \(text), number: {type: number}}}
              offlineNumbers: {id: integer, perUser: false, \(all), columns: {name: \(text)}}
              dynamic: {perUser: false, softDelete: false, dynamicSchema: true, \(all), columns: {}}
              application: {perUser: false, softDelete: false, \(access("application")), columns: {name: \(text)}}
              admin: {perUser: false, softDelete: false, \(access("admin")), columns: {name: \(text)}}
              readOnly: {perUser: false, softDelete: false,
                access: {read: anonymous, insert: authenticated, update: disabled, delete: disabled},
                columns: {name: \(text)}}
              v1Table: {perUser: false, compat: v1, \(all), columns: {name: \(text), number: {type: number}}}
              v1Plain: {perUser: false, compat: v1, softDelete: false, \(all), columns: {name: \(text)}}
              v1Signed: {perUser: false, compat: v1, columns: {name: \(text)}}
              sorted: {perUser: false, softDelete: false, \(all), columns: {title: \(text)}}
              ruled: {perUser: false, softDelete: false, \(all), columns: {
                code: {type: string, required: true, minLength: 2, maxLength: 5, message: "A code has 2 to 5 letters."},
                share: {type: number, min: 0, max: 1}, made: {type: date, readOnly: true, set: now}}}
              todoitem: {columns: {text: {type: string, required: true, maxLength: 4096},
                complete: {type: boolean, default: false}, duration: {type: number}, due: {type: date}, notes: \(text),
                tags: \(text), priority: {type: number, enum: [1, 2, 3]}}}
            """
    }

    private static let text = "{type: string, maxLength: 1048576}"

    private static let movies = """
        title: {type: string}, year: {type: number}, duration: {type: number}, mpaaRating: {type: string},
                releaseDate: {type: date}, bestPictureWinner: {type: boolean}
        """

    private static func access(_ level: String) -> String {
        "access: {read: \(level), insert: \(level), update: \(level), delete: \(level)}"
    }
}
