//! What goes wrong on command, and whether anything was done.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use ftable_testkit::rest_server::{Answer, Fault, Route, Rule};
use serde_json::{Value, json};

use crate::client::{Place, Reply};

const PARTITIONS: &str = "/databases/db/tables/t/partitions";

/// Registers one partition; the numbers say how many are registered then.
fn register(place: &Place, dt: &str) -> (io::Result<Reply>, usize) {
    let body = json!({"partitionSpecs": [{"dt": dt, "hr": "0"}]});
    let target = format!("/v1/mock{PARTITIONS}");
    let reply = place.send("POST", &target, &body.to_string());
    (reply, place.server.registered("db", "t").len())
}

fn faulty(fault: Fault) -> Place {
    let place = Place::with_table();
    place
        .server
        .faults()
        .add(Rule::on(Route::CreatePartitions, fault).times(1));
    place
}

/// The status that the record has of the last request.
fn recorded(place: &Place) -> Option<u16> {
    place.server.log().last().unwrap().status
}

#[test]
fn an_answer_is_sent_in_place_of_the_right_one() {
    let throttled = Answer::error(429, "slow down").retry_after("2");
    let place = faulty(Fault::Answer(throttled));
    let (reply, registered) = register(&place, "a");
    let reply = reply.unwrap();
    assert_eq!(reply.error(), (429, Value::Null, Value::Null));
    assert_eq!(reply.header("retry-after"), Some("2"));
    assert_eq!(reply.json()["message"], "slow down");
    assert_eq!((registered, recorded(&place)), (0, Some(429)));
    // Once was asked for.
    let (reply, registered) = register(&place, "a");
    assert_eq!((reply.unwrap().status, registered), (200, 1));
    assert_eq!(place.server.faults().fired(), 1);

    let html = Answer::text(502, "<html>").header("Content-Type", "text/html");
    let place = faulty(Fault::AnswerAfter(html));
    let (reply, registered) = register(&place, "a");
    let reply = reply.unwrap();
    assert_eq!((reply.status, reply.body.as_slice()), (502, &b"<html>"[..]));
    assert_eq!(reply.header("content-type"), Some("text/html"));
    // This time all was done before.
    assert_eq!((registered, recorded(&place)), (1, Some(502)));

    let place = faulty(Fault::status(501));
    assert_eq!(
        register(&place, "a").0.unwrap().error(),
        (501, Value::Null, Value::Null)
    );
    let place = faulty(Fault::Answer(Answer::json(
        404,
        &json!({"message": "gone"}),
    )));
    assert_eq!(
        register(&place, "a").0.unwrap().json(),
        json!({"message": "gone"})
    );
}

#[test]
fn a_connection_is_closed_before_or_after_the_work() {
    for (fault, done) in [(Fault::Refuse, 0), (Fault::LoseAnswer, 1)] {
        let place = faulty(fault);
        let (reply, registered) = register(&place, "a");
        assert_eq!(reply.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!((registered, recorded(&place)), (done, None));
        assert_eq!(register(&place, "a").0.unwrap().status, 200);
    }
}

#[test]
fn a_body_is_cut_or_missing() {
    let place = faulty(Fault::Truncate);
    let (reply, registered) = register(&place, "a");
    let reply = reply.unwrap();
    let whole = json!({"created": [{"dt": "a", "hr": "0"}], "existed": []}).to_string();
    assert_eq!(reply.status, 200);
    assert_eq!(
        reply.header("content-length"),
        Some(whole.len().to_string().as_str())
    );
    assert_eq!(reply.body, whole.as_bytes()[..whole.len() / 2]);
    assert_eq!(registered, 1);

    let place = faulty(Fault::EmptyBody);
    let (reply, registered) = register(&place, "a");
    let reply = reply.unwrap();
    reply.assert_done();
    assert_eq!((reply.header("content-length"), registered), (Some("0"), 1));
    // An error loses its body too, not its status.
    place
        .server
        .faults()
        .add(Rule::on(Route::GetTable, Fault::EmptyBody));
    let missing = place.get("/databases/db/tables/x");
    assert_eq!((missing.status, missing.body.len()), (404, 0));
}

#[test]
fn slow_answers_come_late() {
    let pause = Duration::from_millis(60);
    for fault in [Fault::Delay(pause), Fault::DelayAnswer(pause)] {
        let place = faulty(fault);
        let begin = Instant::now();
        let (reply, registered) = register(&place, "a");
        assert!(begin.elapsed() >= pause);
        assert_eq!((reply.unwrap().status, registered), (200, 1));
    }
}

#[test]
fn a_slow_answer_holds_up_nobody_else() {
    let place = faulty(Fault::DelayAnswer(Duration::from_secs(3600)));
    std::thread::scope(|scope| {
        let address = place.server.address();
        scope.spawn(move || {
            // Nobody reads the answer: the server ends before it comes.
            let target = format!("/v1/mock{PARTITIONS}");
            let body = json!({"partitionSpecs": [{"dt": "a", "hr": "0"}]}).to_string();
            let reply = crate::client::send(address, "POST", &target, &[], &body);
            assert_eq!(reply.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        });
        while place.server.registered("db", "t").is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(place.get(PARTITIONS).status, 200);
        drop(place);
    });
}

#[test]
fn rules_are_about_some_requests() {
    let place = Place::with_table();
    place.make_table("u");
    let faults = place.server.faults();
    let status = |path: &str| place.get(&format!("/databases{path}")).status;
    faults.add(
        Rule::on(Route::GetTable, Fault::status(503))
            .skip(1)
            .times(2),
    );
    let statuses = [0; 5].map(|_: i32| status("/db/tables/t"));
    assert_eq!(statuses, [200, 503, 503, 200, 200]);
    assert_eq!((status("/db"), faults.fired()), (200, 2));

    faults.add(Rule::on(Route::GetTable, Fault::status(503)).on_path("/tables/u"));
    assert_eq!((status("/db/tables/t"), status("/db/tables/u")), (200, 503));
    faults.clear();
    assert_eq!(status("/db/tables/u"), 200);

    faults.add(Rule::any(Fault::status(500)).times(2));
    assert_eq!(
        [status("/nowhere/at/all"), status(""), status("")],
        [500, 500, 200]
    );
}

#[test]
fn rules_in_a_row_take_turns() {
    let place = Place::with_table();
    let faults = place.server.faults();
    for status in [429, 503] {
        faults.add(Rule::on(Route::GetTable, Fault::status(status)).times(1));
    }
    // Delays are no verdict: they come on top.
    let pause = Duration::from_millis(20);
    faults.add(Rule::on(Route::GetTable, Fault::Delay(pause)).times(3));
    let begin = Instant::now();
    let statuses = [0; 3].map(|_: i32| place.get("/databases/db/tables/t").status);
    assert!(begin.elapsed() >= 3 * pause);
    assert_eq!(statuses, [429, 503, 200]);
    assert_eq!(faults.fired(), 3);
}

#[test]
fn a_stopped_server_closes_its_connections() {
    let place = Place::new();
    let mut stream = TcpStream::connect(place.server.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    // A connection that its client keeps.
    stream
        .write_all(b"GET /v1/config HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    let mut first = [0];
    stream.read_exact(&mut first).unwrap();
    drop(place);
    stream.read_to_end(&mut Vec::new()).unwrap();
}
