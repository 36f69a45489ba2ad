//! The calls of the protocol, on what the store keeps.

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hyper::HeaderMap;
use md5::{Digest, Md5};
use s3s::dto::{
    AbortMultipartUploadInput, AbortMultipartUploadOutput, CommonPrefix,
    CompleteMultipartUploadInput, CompleteMultipartUploadOutput, CopyObjectInput, CopyObjectOutput,
    CopyObjectResult, CopySource, CreateMultipartUploadInput, CreateMultipartUploadOutput,
    DeleteObjectInput, DeleteObjectOutput, DeleteObjectsInput, DeleteObjectsOutput, DeletedObject,
    ETag, ETagCondition, EncodingType, GetObjectInput, GetObjectOutput, HeadObjectInput,
    HeadObjectOutput, ListObjectsV2Input, ListObjectsV2Output, Object, PostObjectInput,
    PostObjectOutput, PutObjectInput, PutObjectOutput, Range, StreamingBlob, Timestamp,
    UploadPartInput, UploadPartOutput,
};
use s3s::{Body, S3, S3Request, S3Response, S3Result, s3_error};

use super::listing::{Listing, Page, name_of, token_of, url_encoded};
use super::serve::{Handle, MAX_BODY};
use super::store::{self, Bucket};

/// How many keys `DeleteObjects` takes at most.
const MAX_DELETED: usize = 1000;

type Answer<T> = S3Result<S3Response<T>>;

#[async_trait]
impl S3 for Handle {
    async fn get_object(&self, request: S3Request<GetObjectInput>) -> Answer<GetObjectOutput> {
        let input = request.input;
        let store = self.0.store();
        let object = store.bucket(&input.bucket)?.object(&input.key)?;
        let (body, content_range) = match input.range {
            None => (object.body.clone(), None),
            Some(range) => {
                let (body, place) = cut(&object.body, range)?;
                (body, Some(place))
            }
        };
        Ok(S3Response::new(GetObjectOutput {
            accept_ranges: Some("bytes".to_owned()),
            content_length: Some(length(&body)),
            content_range,
            content_type: object.content_type.clone(),
            e_tag: e_tag(&object.e_tag),
            last_modified: Some(Timestamp::from(object.modified)),
            body: Some(StreamingBlob::from(Body::from(body))),
            ..GetObjectOutput::default()
        }))
    }

    async fn head_object(&self, request: S3Request<HeadObjectInput>) -> Answer<HeadObjectOutput> {
        let input = request.input;
        let store = self.0.store();
        let object = store.bucket(&input.bucket)?.object(&input.key)?;
        Ok(S3Response::new(HeadObjectOutput {
            accept_ranges: Some("bytes".to_owned()),
            content_length: Some(length(&object.body)),
            content_type: object.content_type.clone(),
            e_tag: e_tag(&object.e_tag),
            last_modified: Some(Timestamp::from(object.modified)),
            ..HeadObjectOutput::default()
        }))
    }

    async fn put_object(&self, request: S3Request<PutObjectInput>) -> Answer<PutObjectOutput> {
        let input = request.input;
        let body = whole(input.body, &request.headers).await?;
        let mut store = self.0.store();
        let bucket = store.bucket_mut(&input.bucket)?;
        check_condition(bucket, &input.key, input.if_none_match.as_ref())?;
        let tag = bucket.put(&input.key, body, input.content_type);
        Ok(S3Response::new(PutObjectOutput {
            e_tag: e_tag(&tag),
            ..PutObjectOutput::default()
        }))
    }

    /// Uploads of forms are no part of this server.
    async fn post_object(&self, _: S3Request<PostObjectInput>) -> Answer<PostObjectOutput> {
        Err(s3_error!(NotImplemented, "PostObject is not implemented."))
    }

    async fn copy_object(&self, request: S3Request<CopyObjectInput>) -> Answer<CopyObjectOutput> {
        let input = request.input;
        let CopySource::Bucket {
            bucket: source,
            key,
            version_id: None,
        } = &input.copy_source
        else {
            return Err(s3_error!(
                NotImplemented,
                "Only the objects of buckets are copied, and no versions of them."
            ));
        };
        let mut store = self.0.store();
        let object = store.bucket(source)?.object(key)?.clone();
        let held = match &input.copy_source_if_match {
            Some(ETagCondition::ETag(tag)) => tag.as_strong() == Some(&object.e_tag),
            Some(ETagCondition::Any) | None => true,
        };
        if !held {
            return Err(store::condition_failed());
        }
        let bucket = store.bucket_mut(&input.bucket)?;
        let tag = bucket.put(&input.key, object.body, object.content_type);
        let modified = bucket.object(&input.key)?.modified;
        Ok(S3Response::new(CopyObjectOutput {
            copy_object_result: Some(CopyObjectResult {
                e_tag: e_tag(&tag),
                last_modified: Some(Timestamp::from(modified)),
                ..CopyObjectResult::default()
            }),
            ..CopyObjectOutput::default()
        }))
    }

    async fn delete_object(
        &self,
        request: S3Request<DeleteObjectInput>,
    ) -> Answer<DeleteObjectOutput> {
        let input = request.input;
        let mut store = self.0.store();
        store.bucket_mut(&input.bucket)?.remove(&input.key);
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn delete_objects(
        &self,
        request: S3Request<DeleteObjectsInput>,
    ) -> Answer<DeleteObjectsOutput> {
        let input = request.input;
        let named = input.delete.objects;
        if named.is_empty() || named.len() > MAX_DELETED {
            return Err(s3_error!(MalformedXML, "Name 1 to {MAX_DELETED} keys."));
        }
        let conditional = named.iter().any(|one| {
            let other = one.e_tag.is_some() || one.last_modified_time.is_some();
            other || one.size.is_some() || one.version_id.is_some()
        });
        if conditional {
            return Err(s3_error!(
                NotImplemented,
                "Objects are deleted by their keys alone."
            ));
        }
        let mut store = self.0.store();
        let bucket = store.bucket_mut(&input.bucket)?;
        let mut deleted = Vec::new();
        for one in named {
            bucket.remove(&one.key);
            deleted.push(DeletedObject {
                key: Some(one.key),
                ..DeletedObject::default()
            });
        }
        let quiet = input.delete.quiet.unwrap_or_default();
        Ok(S3Response::new(DeleteObjectsOutput {
            deleted: (!quiet).then_some(deleted),
            ..DeleteObjectsOutput::default()
        }))
    }

    async fn list_objects_v2(
        &self,
        request: S3Request<ListObjectsV2Input>,
    ) -> Answer<ListObjectsV2Output> {
        let input = request.input;
        let asked = input.max_keys.unwrap_or(1000);
        let asked = usize::try_from(asked)
            .map_err(|_| s3_error!(InvalidArgument, "Argument max-keys is negative."))?;
        let continued = input.continuation_token.as_deref().map(name_of);
        let continued = continued.transpose()?;
        let listing = Listing {
            prefix: input.prefix.as_deref().unwrap_or_default(),
            delimiter: input.delimiter.as_deref().unwrap_or_default(),
            start_after: input.start_after.as_deref().unwrap_or_default(),
            continued: continued.as_deref(),
            limit: asked.min(self.0.page_size),
        };
        let store = self.0.store();
        let bucket = store.bucket(&input.bucket)?;
        let page = listing.page(bucket.objects());
        answer_page(bucket, &page, input).map(S3Response::new)
    }

    async fn create_multipart_upload(
        &self,
        request: S3Request<CreateMultipartUploadInput>,
    ) -> Answer<CreateMultipartUploadOutput> {
        let input = request.input;
        let mut store = self.0.store();
        let bucket = store.bucket_mut(&input.bucket)?;
        let id = bucket.begin(input.key.clone(), input.content_type);
        Ok(S3Response::new(CreateMultipartUploadOutput {
            bucket: Some(input.bucket),
            key: Some(input.key),
            upload_id: Some(id),
            ..CreateMultipartUploadOutput::default()
        }))
    }

    async fn upload_part(&self, request: S3Request<UploadPartInput>) -> Answer<UploadPartOutput> {
        let input = request.input;
        let body = whole(input.body, &request.headers).await?;
        let mut store = self.0.store();
        let bucket = store.bucket_mut(&input.bucket)?;
        let tag = bucket.put_part(&input.key, &input.upload_id, input.part_number, body)?;
        Ok(S3Response::new(UploadPartOutput {
            e_tag: e_tag(&tag),
            ..UploadPartOutput::default()
        }))
    }

    async fn complete_multipart_upload(
        &self,
        request: S3Request<CompleteMultipartUploadInput>,
    ) -> Answer<CompleteMultipartUploadOutput> {
        let input = request.input;
        let parts = input.multipart_upload.and_then(|upload| upload.parts);
        let mut named = Vec::new();
        for part in parts.unwrap_or_default() {
            let (Some(number), Some(tag)) = (part.part_number, part.e_tag) else {
                return Err(s3_error!(
                    MalformedXML,
                    "A part is named without number or entity tag."
                ));
            };
            named.push((number, tag.into_value()));
        }
        let mut store = self.0.store();
        let bucket = store.bucket_mut(&input.bucket)?;
        check_condition(bucket, &input.key, input.if_none_match.as_ref())?;
        let tag = bucket.complete(&input.key, &input.upload_id, &named)?;
        Ok(S3Response::new(CompleteMultipartUploadOutput {
            bucket: Some(input.bucket),
            key: Some(input.key),
            e_tag: e_tag(&tag),
            ..CompleteMultipartUploadOutput::default()
        }))
    }

    async fn abort_multipart_upload(
        &self,
        request: S3Request<AbortMultipartUploadInput>,
    ) -> Answer<AbortMultipartUploadOutput> {
        let input = request.input;
        let mut store = self.0.store();
        let bucket = store.bucket_mut(&input.bucket)?;
        bucket.abort(&input.key, &input.upload_id)?;
        Ok(S3Response::new(AbortMultipartUploadOutput::default()))
    }
}

fn e_tag(value: &str) -> Option<ETag> {
    Some(ETag::Strong(value.to_owned()))
}

fn length(body: &Bytes) -> i64 {
    i64::try_from(body.len()).unwrap_or(i64::MAX)
}

/// The bytes of a range, and the value of `Content-Range`.
fn cut(body: &Bytes, range: Range) -> S3Result<(Bytes, String)> {
    let total = u64::try_from(body.len()).unwrap_or(u64::MAX);
    let range = range.check(total)?;
    let place = |end: u64| usize::try_from(end).unwrap_or(usize::MAX).min(body.len());
    let part = body.slice(place(range.start)..place(range.end));
    // The last bytes of nothing are none, and have no place to name.
    let last = range
        .end
        .checked_sub(1)
        .ok_or_else(|| s3_error!(InvalidRange, "The object is empty."))?;
    Ok((part, format!("bytes {}-{last}/{total}", range.start)))
}

/// The whole body of a request, whose digest is the one that its headers name.
async fn whole(body: Option<StreamingBlob>, headers: &HeaderMap) -> S3Result<Bytes> {
    let body = body.map_or_else(Body::empty, Body::from);
    let body = { body }.store_all_limited(MAX_BODY).await.map_err(|_| {
        s3_error!(
            BadDigest,
            "The 'x-amz-content-sha256' you specified did not match what we received."
        )
    })?;
    if let Some(digest) = headers.get("content-md5")
        && digest.as_bytes() != STANDARD.encode(Md5::digest(&body)).as_bytes()
    {
        return Err(s3_error!(
            BadDigest,
            "The Content-MD5 you specified did not match what we received."
        ));
    }
    Ok(body)
}

/// Checks the condition of a write. Only the one that nothing is there is implemented.
fn check_condition(bucket: &Bucket, key: &str, condition: Option<&ETagCondition>) -> S3Result {
    match condition {
        None => Ok(()),
        Some(ETagCondition::Any) => bucket.check_absent(key),
        Some(ETagCondition::ETag(_)) => Err(s3_error!(
            NotImplemented,
            "If-None-Match with an entity tag is not implemented; '*' is."
        )),
    }
}

/// A page as it is sent.
fn answer_page(
    bucket: &Bucket,
    page: &Page<'_>,
    input: ListObjectsV2Input,
) -> S3Result<ListObjectsV2Output> {
    let encodes = match input.encoding_type.as_ref().map(EncodingType::as_str) {
        None => false,
        Some("url") => true,
        Some(other) => {
            return Err(s3_error!(
                InvalidArgument,
                "Argument encoding-type is '{other}', not url."
            ));
        }
    };
    let spelled = |name: &str| match encodes {
        true => url_encoded(name),
        false => name.to_owned(),
    };
    let mut contents = Vec::new();
    for key in &page.keys {
        contents.push(entry(spelled(key), bucket.object(key)?));
    }
    let common_prefixes: Vec<_> = page
        .common_prefixes
        .iter()
        .map(|prefix| CommonPrefix {
            prefix: Some(spelled(prefix)),
        })
        .collect();
    let entries = contents.len() + common_prefixes.len();
    Ok(ListObjectsV2Output {
        name: Some(input.bucket),
        prefix: Some(spelled(input.prefix.as_deref().unwrap_or_default())),
        delimiter: input.delimiter.as_deref().map(spelled),
        start_after: input.start_after.as_deref().map(spelled),
        max_keys: Some(input.max_keys.unwrap_or(1000)),
        key_count: Some(i32::try_from(entries).unwrap_or(i32::MAX)),
        continuation_token: input.continuation_token,
        is_truncated: Some(page.next.is_some()),
        next_continuation_token: page.next.map(token_of),
        contents: Some(contents),
        common_prefixes: Some(common_prefixes),
        encoding_type: input.encoding_type,
        ..ListObjectsV2Output::default()
    })
}

/// An object as listings have it.
fn entry(key: String, object: &store::Object) -> Object {
    Object {
        key: Some(key),
        size: Some(length(&object.body)),
        e_tag: e_tag(&object.e_tag),
        last_modified: Some(Timestamp::from(object.modified)),
        ..Object::default()
    }
}
